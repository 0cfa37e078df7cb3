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
            `^${name.replace(/[[\]]/g, "\\$&")}\\s+${row(name).load.toFixed(2)} %\\s+${(row(name).ran * 1e3).toPrecision(3)} ms\\s`);
        assert.match(main, begins("[no task]"));
        assert.match(tick, begins("[board_tick_entry]"));
        const longest = (row("[board_tick_entry]").max * 1e6).toPrecision(3);
        assert.match(tick, new RegExp(`ms\\s+160\\s.*\\s${longest} µs\\s*$`, "s"));
        assert.match(waiting, /^waiting\s+40\s+4\s+4\s+4/);
        assert.match(packet, /^packet\s+40\s+1\d\d µs\s+[12]\d\d µs\s+[12]\d\d µs/);
        const ends = await page.locator(".sums .axis >> nth=0").innerText();
        assert.match(ends, /^\d[\d.]* [nµm]?s\s*\d[\d.]* [nµm]?s$/);
        assert.deepEqual(await page.locator(".names li").allTextContents(),
            ["[board_tick_entry]", "[no task]", "waiting", "packet"]);
        const bins = timeline.tracks.rows[1].bins.length / 3;
        assert.equal(await page.locator("tr:has-text('board_tick') rect").count(), bins);
        const plain = await open(browser, "blinky", "#timeline");
        assert.match(await plain.innerText("main"), /Hottest functions/);
    });

    test("the longest wait leads to where it was, and to who ran meanwhile", async (browser) => {
        const page = await open(browser, "lossy", "#timeline"), { timeline } = dataOf("lossy");
        const { tracks, waits, ran, start, hz } = timeline, all = [];
        for (let i = 0, at = start; i < waits.length; i += 3) {
            at += waits[i + 1];
            all.push({ track: waits[i], from: at - waits[i + 2], to: at });
        }
        const longest = all.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
        const { name } = tracks.rows[longest.track], others = new Map();
        for (let i = 0, at = start; i < ran.length; i += 2) {
            const ticks = Math.min(at + ran[i + 1], longest.to) - Math.max(at, longest.from);
            if (ticks > 0 && ran[i] !== null)
                others.set(ran[i], (others.get(ran[i]) ?? 0) + ticks);
            at += ran[i + 1];
        }
        const row = page.locator("table:first-of-type tbody tr").filter({ has:
            page.locator("th", { hasText: new RegExp(`^${name}$`) }) });
        await row.locator("a[title='where it was']").last().click();
        const { pick } = Object.fromEntries(new URLSearchParams((await fragment(page))
            .split("?")[1]));
        assert.equal(Number(pick.split(" ")[2]), longest.from - start);
        const details = await page.innerText(".details");
        assert.ok(details.startsWith(name) && details.includes("waited"), details);
        const [busiest] = [...others].sort((a, b) => b[1] - a[1]);
        assert.ok(details.split("meanwhile ")[1].startsWith(tracks.rows[busiest[0]].name), details);
        const shown = /([\d.]+) (m|µ)s/.exec(details.split("meanwhile ")[1].slice(
            tracks.rows[busiest[0]].name.length));
        assert.ok(Math.abs(shown[1] * (shown[2] === "m" ? 1e-3 : 1e-6) - busiest[1] / hz) <
            0.01 * busiest[1] / hz, details);
        await page.reload(); // a link to it
        await page.waitForSelector("canvas");
        assert.equal(await page.innerText(".details"), details);
        assert.equal(await page.textContent(".names .chosen"), name);
    });

    test("the timeline's table is of what is in sight", async (browser) => {
        const { timeline } = dataOf("lossy"), { tracks, ran, start, end, hz } = timeline;
        const [from, to] = [0.25, 0.5].map((part) => Math.round(start + part * (end - start)));
        const page = await open(browser, "lossy", `#timeline?from=${from / hz}&to=${to / hz}`);
        const busy = new Map();
        for (let i = 0, at = start; i < ran.length; i += 2) {
            const ticks = Math.min(at + ran[i + 1], to) - Math.max(at, from);
            if (ticks > 0)
                busy.set(ran[i], (busy.get(ran[i]) ?? 0) + ticks);
            at += ran[i + 1];
        }
        const known = to - from - (busy.get(null) ?? 0);
        const rows = await page.locator("table:first-of-type tbody tr").allInnerTexts();
        const loads = new Map(rows.map((row) => [row.split("\t")[0].replace(/idle$/, "").trim() ||
            "idle", parseFloat(row.split("\t")[1])]));
        assert.ok(loads.size > 3);
        for (const [track, ticks] of busy)
            if (track !== null && tracks.rows[track].idle === 0)
                assert.ok(Math.abs(loads.get(tracks.rows[track].name) - 100 * ticks / known) < 0.02,
                    `${tracks.rows[track].name}: ${rows}`);
        assert.match(await page.innerText(".sums .note"), /^In sight/);
        assert.deepEqual(page.said, []);
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
