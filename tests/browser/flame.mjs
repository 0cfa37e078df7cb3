// SPDX-License-Identifier: MIT
// What page.mjs tests of the flame graph from the inside out and around a function.
import assert from "node:assert/strict";

/** Paths of the tree with counts of their own: [[names, count], ...]. */
function pathsOf({ names, values }) {
    const open = [], paths = [], count = values.length / 3;
    for (let i = 0; i < count; i++) {
        open.length = values[i];
        open.push(names[values[count + i]]);
        paths.push([[...open], values[2 * count + i]]);
    }
    return paths.filter(([, count]) => count > 0);
}

/** Sums of the paths by `key`, which may leave one out, the largest first. */
function sums(paths, key) {
    const found = new Map();
    for (const [names, count] of paths)
        if (key(names) !== undefined)
            found.set(key(names), (found.get(key(names)) ?? 0) + count);
    return [...found].sort((a, b) => b[1] - a[1]);
}

const countOf = (details) => Number(/([\d,]+) samples of/.exec(details)[1].replaceAll(",", ""));

export function flameTests({ test, open, dataOf, fragment, press, texts, settled }) {
    test("bottom-up has what ran, and below it who called", async (browser) => {
        const page = await open(browser, "blinky", "#flame"), { tree } = dataOf("blinky");
        await page.click(".choice >> text=bottom-up");
        assert.equal(await fragment(page), "#flame?show=bottom-up");
        const paths = pathsOf(tree), roots = sums(paths, (names) => names.at(-1));
        await page.focus(".canvas");
        await press(page, ...Array(roots.length).fill("ArrowLeft"));
        for (const [, count] of roots) { // those of one count come in any order
            const details = await page.innerText(".details");
            assert.equal(countOf(details), count);
            assert.ok(roots.some(([name, of]) => of === count && details.startsWith(name)));
            await press(page, "ArrowRight");
        }
        await press(page, ...Array(roots.length).fill("ArrowLeft"), "ArrowDown");
        const [hottest] = roots[0];
        const [[caller, count]] = sums(paths, (names) =>
            (names.at(-1) === hottest ? names.at(-2) : undefined));
        assert.equal(await page.textContent(".details .fn"), caller);
        assert.equal(countOf(await page.innerText(".details")), count);
        await press(page, "Enter");
        const trail = ["all", hottest, caller];
        assert.deepEqual(await texts(page, ".trail a"), trail);
        await page.reload();
        await page.waitForSelector(".trail");
        assert.deepEqual(await texts(page, ".trail a"), trail);
        assert.deepEqual(page.said, []);
    });

    test("bottom-up has each of 65 levels, in both orientations", async (browser) => {
        for (const [way, inner] of [["", "ArrowDown"], ["&up=1", "ArrowUp"]]) {
            const page = await open(browser, "deep", `#flame?show=bottom-up${way}`);
            await page.focus(".canvas");
            assert.equal(await page.evaluate(() =>
                document.querySelector(".canvas").scrollTop > 0), way !== "");
            for (let level = 63; level >= 0; level--) {
                await press(page, inner);
                assert.equal(await page.textContent(".details .fn"), `level_${level}`);
            }
            await page.context().close();
        }
    });

    test("a frame is told of at once, also when its source is packed", async (browser) => {
        const page = await open(browser, "packed", "#flame");
        const kinds = await page.$$eval("script[id]", (all) => all.map(({ id, type }) => [id, type]));
        assert.equal(Object.fromEntries(kinds).source, "application/zlib");
        const area = await page.locator("canvas").boundingBox();
        await page.mouse.move(area.x + area.width * 0.9, area.y + 10);
        await settled(page);
        assert.notEqual(await page.textContent(".details .fn"), "all");
    });

    test("sandwich has the callers above and the callees below", async (browser) => {
        const { tree, functions } = dataOf("blinky"), paths = pathsOf(tree);
        const { address } = functions.rows.find(({ name }) => name === "corrected");
        const at = `0x${address.toString(16)}`;
        const page = await open(browser, "blinky", `#flame/${at}?show=sandwich`);
        const of = paths.filter(([names]) => names.includes("corrected"));
        const total = of.reduce((sum, [, count]) => sum + count, 0);
        assert.match(await page.innerText(".details"), /^corrected/);
        assert.equal(countOf(await page.innerText(".details")), total);
        for (const [canvas, key, by] of [["first", "ArrowUp", -1], ["last", "ArrowDown", 1]]) {
            const [[name, count]] = sums(of, (names) => names[names.indexOf("corrected") + by]);
            const area = page.locator(".canvas")[canvas]();
            await area.focus();
            const start = by < 0 ? [] : [key]; // the callees' canvas has the function itself
            await press(page, "ArrowLeft", ...start);
            assert.equal(await page.textContent(".details .fn"), name);
            assert.equal(countOf(await page.innerText(".details")), count);
            if (by < 0) {
                const { height, y } = await area.boundingBox();
                await page.mouse.move(700, y + height - 8);
                await settled(page);
                assert.equal(await page.textContent(".details .fn"), name);
                await page.mouse.move(5, 5);
            }
        }
        await press(page, "Enter"); // to the callee
        assert.equal(await page.locator(".details .fn").textContent(), "square_root");
        assert.match(await fragment(page), /^#flame\/0x[0-9a-f]+\?show=sandwich$/);
        assert.ok(!(await fragment(page)).includes(at));
        assert.deepEqual(page.said, []);
    });
}
