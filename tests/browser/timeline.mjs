// SPDX-License-Identifier: MIT
// What page.mjs tests of the timeline.
import assert from "node:assert/strict";

/** How opaque the timeline's lanes are in the middle of each slice that is some pixels wide: what
    ran, what is opaque there, and how opaque the others are. */
async function lanesIn(page, { ran, tracks, start, end }) {
    const names = await page.locator(".names li").allTextContents(), middles = [];
    let at = 0;
    for (let i = 0; i < ran.length; i += 2) {
        middles.push({ track: ran[i], middle: at + ran[i + 1] / 2, ticks: ran[i + 1] });
        at += ran[i + 1];
    }
    const drawn = await page.evaluate(({ list, ticks, count }) => {
        const canvas = document.querySelector("canvas"), context = canvas.getContext("2d");
        const { width, height } = canvas, all = context.getImageData(0, 0, width, height).data;
        const alpha = (x, y) => all[4 * (y * width + x) + 3];
        return list.filter((each) => each.ticks / ticks * width > 6).map(({ track, middle }) => {
            const x = Math.floor(middle / ticks * width);
            return { track, lanes: Array.from({ length: count }, (_, i) =>
                Math.max(...[8, 10, 12].map((y) => alpha(x, 30 + 26 * i + y)))),
                between: alpha(x, 31) };
        });
    }, { list: middles, ticks: end - start, count: names.length });
    return drawn.filter(({ between }) => between < 255).map(({ track, lanes }) => ({
        ran: track === null ? "not known" : tracks.rows[track].name,
        opaque: lanes.flatMap((alpha, i) => (alpha === 255 ? [names[i]] : [])),
        rest: Math.max(...lanes.filter((alpha) => alpha < 255)) }));
}

/** Checks until it holds, for the address follows a little later: more so on a busy machine. */
async function until(check) {
    for (const end = Date.now() + 60_000; ;) {
        try {
            return await check();
        } catch (failure) {
            if (Date.now() > end)
                throw failure;
        }
        await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
}

export function timelineTests({ test, open, dataOf, fragment, press }) {
    test("timeline draws what ran, and nothing where that is not known", async (browser) => {
        const page = await open(browser, "lossy", "#timeline"), { timeline } = dataOf("lossy");
        const looked = await lanesIn(page, timeline);
        assert.ok(looked.length > 20);
        assert.ok(looked.some(({ ran }) => ran === "not known"));
        for (const { ran, opaque, rest } of looked) {
            assert.deepEqual(opaque, [ran]);
            assert.ok(rest < 100, `${ran}: ${rest}`);
        }
        assert.ok(timeline.gaps > 20);
        assert.match(await page.innerText(".details"),
            new RegExp(`load of[^]*not known, in ${timeline.gaps} gaps`));
    });

    test("timeline is zoomed and panned by mouse and key", async (browser) => {
        const page = await open(browser, "lossy", "#timeline"), { timeline } = dataOf("lossy");
        const span = async () => {
            const said = new URLSearchParams((await fragment(page)).split("?")[1]);
            return ["from", "to"].map((key) => Number(said.get(key)));
        };
        const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-7, `${one} ${other}`);
        const area = await page.locator("canvas").boundingBox();
        const middle = [area.x + area.width / 2, area.y + 100];
        await page.mouse.move(...middle);
        await page.mouse.wheel(0, -800);
        const all = (timeline.end - timeline.start) / timeline.hz;
        const [from, to] = await until(async () => {
            const [begin, end] = await span();
            near((begin + end) / 2, all / 2);
            near(end - begin, all / 1.0015 ** 800);
            return [begin, end];
        });
        await page.mouse.down();
        await page.mouse.move(middle[0] + area.width / 4, middle[1], { steps: 3 });
        await page.mouse.up();
        await until(async () => near((await span())[0], from - (to - from) / 4));
        await page.reload();
        await page.waitForSelector("canvas");
        assert.match(await page.innerText(".details"), /from .* on/);
        await press(page, "+", "ArrowRight");
        await until(async () => {
            const [closer, end] = await span();
            near(end - closer, (to - from) / 1.5);
        });
        await press(page, "ArrowDown", "n", "n");
        assert.equal(await page.textContent(".names .chosen"),
            await page.textContent(".details .fn"));
        await press(page, "Enter", "Escape");
        await until(async () => assert.equal(await fragment(page), "#timeline"));
        await page.mouse.move(5, 5);
        await page.goto(page.url().replace(/#.*/, "#timeline?from=9&to=1"));
        assert.match(await page.innerText(".details"), /load of/);
        assert.deepEqual(page.said, []);
    });

    test("timeline and functions lead to each other", async (browser) => {
        const page = await open(browser, "lossy", "#timeline");
        await page.click(".names a:text('SysTick')");
        assert.match(await fragment(page), /^#functions\/0x/);
        const handler = await page.textContent(".tr[aria-selected=true] .fn");
        await press(page, "Enter");
        await page.click(".card .links >> text=timeline");
        assert.equal(await page.textContent(".names .chosen"), "[SysTick]", handler);
        const task = page.locator("table a:not(:has-text('['))").first(); // that has samples
        const name = await task.textContent();
        await task.click();
        assert.ok((await page.innerText(".details")).startsWith(name));
    });

    test("timeline says what it adds up to", async (browser) => {
        const page = await open(browser, "marks", "#timeline"), { timeline } = dataOf("marks");
        const cells = (row) => page.locator(`table:nth-of-type(${row}) tbody tr`).allInnerTexts();
        const [main, tick] = await cells(1), [waiting, packet] = await cells(2);
        const row = (name) => timeline.tracks.rows.find((each) => each.name === name);
        const begins = (name) => new RegExp(
            `^${row(name).load.toFixed(2)} %\\s+${(row(name).ran * 1e3).toPrecision(3)} ms\\s`);
        assert.match(main, begins("[no task]"));
        assert.match(tick, begins("[board_tick_entry]"));
        const longest = (row("[board_tick_entry]").max * 1e6).toPrecision(3);
        assert.match(tick, new RegExp(`ms\\s+160\\s.*\\s${longest} µs\\s+\\[board_tick_entry\\]`, "s"));
        assert.match(waiting, /^40\s+4\s+4\s+4\s+waiting/);
        assert.match(packet, /^40\s+1\d\d µs\s+[12]\d\d µs\s+[12]\d\d µs\s+packet/);
        assert.deepEqual(await page.locator(".names li").allTextContents(),
            ["[board_tick_entry]", "[no task]", "waiting", "packet"]);
        const bins = timeline.tracks.rows[1].bins.length / 3;
        assert.equal(await page.locator("tr:has-text('board_tick') rect").count(), bins);
        const plain = await open(browser, "blinky", "#timeline");
        assert.match(await plain.innerText("main"), /Hottest functions/);
    });

    test("100,000 switches need few elements", async (browser) => {
        const page = await open(browser, "switches", "#timeline");
        assert.ok(await page.locator("main *").count() < 200);
        await press(page, "ArrowDown", "n", "Enter");
        const { timeline } = dataOf("switches");
        await until(async () => {
            const said = new URLSearchParams((await fragment(page)).split("?")[1]);
            const [from, to] = [...said.values()];
            assert.ok((to - from) * timeline.hz <= 16 + 1e-3);
        });
        await press(page, "End", "Home", "-", "Escape");
        assert.deepEqual(page.said, []);
    });
}
