// SPDX-License-Identifier: MIT
// Looks at the pages in a folder with Chromium: node tests/browser/page.mjs FOLDER. Prints a line
// of JSON for each test: its name, and its failure or null.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { accessTests } from "./access.mjs";
import { flameTests } from "./flame.mjs";
import { layoutTests } from "./layout.mjs";
import { timelineTests } from "./timeline.mjs";

const web = new URL("../../host/page/web/package.json", import.meta.url);
const { chromium } = createRequire(web)("playwright-core");
const [folder] = process.argv.slice(2);
const tests = [];
const test = (name, body) => tests.push({ name, body });

const BLOCK = /<script id="(\w+)" type="application\/(json|zlib)">([^]*?)<\/script>/g;

function dataOf(name) {
    const html = readFileSync(join(folder, `${name}.html`), "utf8");
    const data = {};
    for (const [, name, kind, text] of html.matchAll(BLOCK))
        data[name] = JSON.parse(kind === "json" ? text : inflateSync(Buffer.from(text, "base64")));
    data.blocks = Object.keys(data).length;
    Object.assign(data, data.overview);
    const { arcs } = data, width = arcs.columns.length;
    arcs.rows = Array.from({ length: arcs.values.length / width }, (_, i) =>
        arcs.values.slice(i * width, (i + 1) * width));
    const { tracks, marks } = data.timeline ?? {};
    for (const table of [data.functions, arcs, data.tasks, data.changes, tracks, marks])
        if (table)
            table.rows = table.rows.map((row) => Object.fromEntries(
                row.map((value, i) => [table.columns[i], value])));
    return data;
}

/** A page of the browser; whatever it asks for or complains of is kept. */
async function open(browser, name, fragment = "", options = {}) {
    const viewport = { width: 1366, height: 768 };
    const context = await browser.newContext({ viewport, ...options });
    const page = await context.newPage();
    page.said = [];
    page.asked = [];
    page.on("console", (message) => page.said.push(message.text()));
    page.on("pageerror", (error) => page.said.push(error.stack));
    page.on("request", (request) => page.asked.push(request.url()));
    page.on("dialog", (dialog) => {
        page.said.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    await page.goto(`file://${join(folder, `${name}.html`)}${fragment}`);
    await page.waitForSelector("main > *"); // a view's data are there
    return page;
}

const texts = (page, selector) => page.locator(selector).allInnerTexts();
const fragment = (page) => page.evaluate(() => location.hash);
const names = (page) => page.locator(".tr:not(.head) .fn").allTextContents();
/** A number as it is shown: "<0.2" is nothing. */
const number = (text) => (text.trim().startsWith("<") ? 0 : parseFloat(text.replaceAll(",", "")));
/** Names of the tree's frames of a depth, from left to right. */
const namesAt = ({ names, values }, depth) => values.slice(0, values.length / 3).flatMap((at, i) =>
    (at === depth ? [names[values[values.length / 3 + i]]] : []));
const settled = (page) => page.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done))));

async function press(page, ...keys) {
    for (const key of keys) {
        await page.keyboard.press(key);
        await settled(page);
    }
}

/** The colours along a row of the canvas, `y` pixels below its top. */
const colours = (page, y) => page.evaluate((at) => {
    const canvas = document.querySelector("canvas");
    const context = canvas.getContext("2d");
    const row = context.getImageData(0, at * devicePixelRatio, canvas.width, 1).data;
    const found = new Map();
    for (let i = 0; i < row.length; i += 4) {
        const colour = row.slice(i, i + 4).join();
        found.set(colour, (found.get(colour) ?? 0) + 1);
    }
    return Object.fromEntries(found);
}, y);

test("overview says what ran and what was lost", async (browser) => {
    const page = await open(browser, "blinky"), data = dataOf("blinky");
    const said = await page.innerText("main");
    assert.equal(await page.title(), "blinky.elf – mcuprof");
    assert.equal(await page.innerText(".chip"), "cortex-m");
    for (const [label, text] of data.summary)
        assert.ok(said.includes(label) && said.includes(text), text);
    assert.match(said, /Lost\s+nothing/);
    const hottest = data.functions.rows.filter(({ self, overhead }) => self > 0 && !overhead)
        .sort((a, b) => b.self - a.self).map(({ name }) => name).slice(0, 10);
    assert.deepEqual(await texts(page, ".ranks .fn"), hottest);
    const { paths } = data.hottest;
    assert.equal(paths.length, 3);
    const common = await page.locator(".paths .common .fn").allTextContents();
    assert.deepEqual(common, ["reset_handler", "main"]); // of all three
    for (const i of [0, 1, 2])
        assert.deepEqual([...common, ...await page.locator(`.paths li >> nth=${i} >> .fn`)
            .allTextContents()], paths[i].slice(2).map(([name]) => name));
    const { cost_percent: cost, profiler_percent: own, sampling_percent: sampling } = data.run;
    assert.ok(Math.abs(cost - own - sampling) < 1e-6 && cost > 0);
    assert.match(said, new RegExp(`Profiling cost\\s+${cost.toFixed(1)}\\s*%`));
    assert.equal(await page.locator(".advice").count(), 0);
    const box = await page.locator(".mini canvas").boundingBox();
    await page.mouse.click(box.x + box.width * 0.9, box.y + 30);
    assert.match(await fragment(page), /^#flame\?zoom=reset_handler%3Bmain/);
});

test("overview has the tasks", async (browser) => {
    const page = await open(browser, "chibios"), data = dataOf("chibios");
    const shown = await texts(page, "section:has(h2:text('Tasks')) li .fn");
    assert.deepEqual(shown, data.tasks.rows.map(({ name }) => name));
    assert.ok(shown.includes("sensor") && shown.includes("[SysTick]"));
    await page.click("section:has(h2:text('Tasks')) a:text('sensor')");
    assert.match(await page.innerText(".details"), /^sensor/);
});

test("table sorts by a column and back", async (browser) => {
    const page = await open(browser, "throws", "#functions"), data = dataOf("throws");
    const by = (key) => data.functions.rows.map((row) => row[key]).sort((a, b) => b - a);
    const column = async (n) =>
        (await texts(page, `.tr:not(.head) > :nth-child(${n})`)).map(number);
    const sorted = await column(2);
    assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a));
    assert.ok((await page.innerText(".tr:not(.head)")).includes("±"));
    await page.click(".head >> text=calls");
    assert.deepEqual((await column(6)).map((value) => value || 0),
        by("calls").slice(0, (await column(6)).length));
    assert.equal(await fragment(page), "#functions?sort=calls");
    assert.equal(await page.getAttribute(".head [role=columnheader]:has-text('calls')", "aria-sort"), "descending");
    await page.click(".head >> text=calls");
    assert.deepEqual((await column(6)).map((value) => value || 0).at(0), by("calls").at(-1));
    await page.click(".head >> text=function");
    const shown = await names(page);
    assert.deepEqual(shown, [...shown].sort((a, b) => a.localeCompare(b)));
});

test("table says what would be gained", async (browser) => {
    const page = await open(browser, "chibios", "#functions"), { gains, functions } =
        dataOf("chibios");
    await page.click(".choice >> text=gains");
    assert.equal(await fragment(page), "#functions?show=gains");
    assert.match(await page.innerText(".count"), /without its \d+\.\d % in idle tasks/);
    const name = (row) => functions.rows[row[0]].name;
    const best = gains.rows.filter((row) => row[1] > 0).sort((a, b) => b[1] - a[1])[0];
    const first = await page.innerText(".tr:not(.head) >> nth=0");
    assert.ok(first.includes(name(best)) && !gains.rows.some((row) => name(row).includes("idle")));
    assert.equal(parseFloat(/×([\d.]+)/.exec(first)[1]).toFixed(1), best[1].toFixed(1));
    await page.click(".head >> text=total half");
    assert.equal(await fragment(page), "#functions?show=gains&sort=half_all");
    assert.deepEqual(page.said, []);
});

test("energy is in the overview and the table", async (browser) => {
    const page = await open(browser, "energy"), { energy, units, tasks, functions } =
        dataOf("energy");
    const tile = await page.innerText(".tile:has(h2:text('Energy'))");
    const near = (text, joules, error) => { // digits end where the error begins
        const shown = /([\d.]+) *±[\d.]+ *[mµ]J/.exec(text);
        assert.ok(Math.abs(shown[1] / units.energy.factor - joules) <= error, text);
    };
    near(tile, energy.joules, energy.error);
    assert.match(tile, / mA in the mean; 1200 mAh last [\d.]+ ±[\d.]+ days/);
    const idle = await page.innerText("section:has(h2:text('Tasks')) li.idle");
    const task = tasks.rows.find((each) => each.idle);
    near(idle, task.joules, task.joules_error);
    assert.match(await page.innerText(".paths li"), /±[\d.]+ *[mµ]J/);
    await page.goto(page.url().replace(/#.*|$/, "#functions"));
    await page.click(`.head >> text=self ${units.energy.name}`);
    assert.equal(await fragment(page), "#functions?sort=self_joules");
    const most = [...functions.rows].sort((a, b) => b.self_joules - a.self_joules)[0];
    assert.equal((await names(page))[0], most.name);
    assert.deepEqual(page.said, []);
    for (const width of [1366, 1000, 800]) { // nothing is beyond the edge
        await page.setViewportSize({ width, height: 768 });
        await settled(page);
        const box = await page.locator(`.head >> text=self ${units.energy.name}`).boundingBox();
        assert.ok(box.x + box.width <= width);
        assert.equal(await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.querySelector(".rows");
            return scrollWidth - clientWidth;
        }), 0, `${width}`);
    }
});

test("table finds", async (browser) => {
    const page = await open(browser, "throws", "#functions");
    await page.keyboard.press("/");
    await page.keyboard.type("ATCHE");
    await settled(page);
    assert.deepEqual(await names(page), ["catches"]);
    assert.match(await page.innerText(".count"), /^1 of /);
    assert.equal(await fragment(page), "#functions?find=ATCHE");
    await page.keyboard.type("xyzzy");
    await settled(page);
    assert.match(await page.innerText("main"), /No function is called “ATCHExyzzy”/);
    await page.keyboard.press("Escape");
    await settled(page);
    assert.ok((await names(page)).length > 10);
});

test("table is walked by key", async (browser) => {
    const page = await open(browser, "blinky", "#functions");
    const shown = await names(page);
    await press(page, "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp");
    assert.equal(await page.textContent(".tr[aria-selected=true] .fn"), shown[1]);
    await press(page, "End");
    assert.equal(await page.textContent(".tr[aria-selected=true] .fn"), shown.at(-1));
    await press(page, "Home", "Enter");
    assert.equal(await page.textContent(".card h2"), shown[0]);
});

test("flame graph draws, zooms and finds", async (browser) => {
    const page = await open(browser, "blinky", "#flame"), data = dataOf("blinky");
    const whole = Object.keys(await colours(page, 10)).length;
    assert.ok(whole > 1);
    const box = await page.locator("canvas").boundingBox();
    await page.mouse.move(box.x + box.width * 0.9, box.y + 30);
    assert.match(await page.innerText(".details"), /^main\s.*±.*%.*samples of/s);
    await page.mouse.click(box.x + box.width * 0.9, box.y + 30);
    assert.equal(await fragment(page), "#flame?zoom=reset_handler%3Bmain");
    assert.deepEqual(await texts(page, ".trail a"), ["all", "reset_handler", "main"]);
    await page.mouse.move(5, 5);
    await page.focus(".canvas");
    await press(page, "ArrowDown");
    const child = await page.textContent(".details .fn");
    assert.equal(child, "wait_ms");
    await press(page, "ArrowUp", "Escape", "Escape", "Escape");
    assert.equal(await fragment(page), "#flame");
    await page.fill("input", "square_root");
    await settled(page);
    const found = data.functions.rows.find(({ name }) => name === "square_root");
    const matched = number(await page.innerText(".matched b"));
    assert.ok(Math.abs(matched - 100 * found.total / data.run.program) < 0.06, `${matched}`);
});

test("flame graph stands on its roots or hangs from them", async (browser) => {
    const page = await open(browser, "chibios", "#flame"), data = dataOf("chibios");
    const top = Object.keys(await colours(page, 10));
    await page.click("text=flame >> nth=1");
    assert.equal(await fragment(page), "#flame?up=1");
    const levels = Math.max(...data.tree.values.slice(0, data.tree.values.length / 3)) + 1;
    const flame = Object.keys(await colours(page, levels * 20 - 10));
    assert.deepEqual(flame.sort(), top.sort());
    await page.focus(".canvas");
    await press(page, "ArrowUp");
    assert.equal(data.tree.names.includes(await page.textContent(".details .fn")), true);
});

test("a zoom is of a path, in whatever capture", async (browser) => {
    for (const name of ["blinky", "shares"]) {
        const page = await open(browser, name, "#flame?zoom=reset_handler%3Bmain");
        assert.deepEqual(await texts(page, ".trail a"), ["all", "reset_handler", "main"]);
    }
    const page = await open(browser, "hostile", "#flame"), { tree } = dataOf("hostile");
    const levels = [0, 1].map((depth) => namesAt(tree, depth));
    const box = await page.locator("canvas").boundingBox();
    for (let place = 0.5; place < levels[1].length; place++) {
        await page.goto(page.url().replace(/#.*/, "#flame"));
        await settled(page);
        await page.mouse.click(box.x + box.width * place / levels[1].length, box.y + 30);
        const trail = await texts(page, ".trail a");
        assert.equal(trail.length, 3);
        await page.reload();
        await page.waitForSelector(".trail");
        assert.deepEqual(await texts(page, ".trail a"), trail);
    }
});

test("each of 65 levels of a flame graph is reached", async (browser) => {
    for (const [way, inner, first] of [["", "ArrowDown", 0], ["?up=1", "ArrowUp", 64]]) {
        const page = await open(browser, "deep", `#flame${way}`);
        const box = await page.locator(".canvas").boundingBox();
        const at = async (row) => {
            await page.evaluate((to) => { document.querySelector(".canvas").scrollTop = to; },
                row * 20 - 100);
            await settled(page);
            const top = await page.evaluate(() => document.querySelector(".canvas").scrollTop);
            await page.mouse.move(box.x + box.width - 5, box.y + row * 20 - top + 10);
            return page.textContent(".details .fn");
        };
        const opened = await page.evaluate(() => document.querySelector(".canvas").scrollTop);
        assert.equal(opened > 0, first > 0);
        for (let row = 0; row < 65; row++)
            assert.equal(await at(row), `level_${Math.abs(first - row)}`);
        await page.mouse.move(5, 5);
        await page.focus(".canvas");
        await press(page, ...Array(70).fill(inner));
        assert.equal(await page.textContent(".details .fn"), "level_64");
        const scrolled = await page.evaluate(() => document.querySelector(".canvas").scrollTop);
        assert.ok(way ? scrolled === 0 : scrolled + box.height >= 65 * 20, `${scrolled}`);
    }
});

test("flame graph has tasks as roots and inlined frames", async (browser) => {
    const page = await open(browser, "chibios", "#flame"), { tree, tasks } = dataOf("chibios");
    const roots = namesAt(tree, 0);
    const sampled = new Set(tasks.rows.filter(({ samples }) => samples > 0)
        .map(({ name }) => name));
    assert.ok(roots.length > 3 && roots.every((name) => sampled.has(name)));
    assert.ok(tree.names.some((name) => name.endsWith(" (inlined)")));
    await page.focus(".canvas");
    await press(page, ...Array(roots.length).fill("ArrowLeft"));
    const seen = [];
    for (let i = 0; i < roots.length; i++) {
        seen.push(await page.textContent(".details .fn"));
        await press(page, "ArrowRight");
    }
    assert.deepEqual(seen, roots);
});

test("call graph is walked by mouse and key", async (browser) => {
    const page = await open(browser, "blinky", "#graph"), data = dataOf("blinky");
    const { functions, arcs } = data;
    const index = functions.rows.findIndex(({ name }) => name === "fade");
    const ends = (mine, other) => arcs.rows.filter((arc) => arc[mine] === index)
        .map((arc) => functions.rows[arc[other]].name).sort();
    await page.click("aside >> text=fade");
    assert.deepEqual((await texts(page, ".arcs.callee .fn")).sort(), ends("caller", "callee"));
    assert.deepEqual((await texts(page, ".arcs.caller .fn")).sort(), ends("callee", "caller"));
    assert.equal(await fragment(page), `#graph/0x${functions.rows[index].address.toString(16)}`);
    assert.match(await page.innerText(".card"), /self[^]*total[^]*±[^]*calls\s+100/);
    const told = await page.$$eval(".arcs.callee small[title]", (all) => all.map(
        ({ title, textContent }) => `${textContent}: ${title}`));
    assert.deepEqual(told.sort(), ["100 calls: from 1 site", "6,400 calls: from 1 site"]);
    await page.click(".arcs.callee >> text=corrected");
    assert.equal(await page.textContent(".card h2"), "corrected");
    await press(page, "ArrowLeft", "Enter");
    assert.equal(await page.textContent(".card h2"), "fade");
    await press(page, "ArrowRight", "ArrowDown", "ArrowUp", "Enter");
    assert.equal(await page.textContent(".card h2"), "corrected");
    await page.goBack();
    await settled(page);
    assert.equal(await page.textContent(".card h2"), "fade");
});

test("source shows each line and its heat", async (browser) => {
    const page = await open(browser, "blinky", "#source"), data = dataOf("blinky");
    const [hottest] = data.source.functions;
    const source = readFileSync("examples/blinky/blinky.c", "utf8").split("\n");
    assert.equal(await page.textContent(".pane h2"), hottest.name);
    await page.click("aside >> text=square_root");
    const lines = await page.locator(".line:not(.head)").evaluateAll((rows) => rows.map((row) => ({
        kind: row.className, number: row.querySelector(".number").textContent,
        text: row.querySelector(".text").textContent,
        bar: row.querySelector(".bar > span").style.width })));
    const own = lines.filter(({ kind }) => kind === "line kind0");
    assert.ok(own.length > 5);
    for (const { number: line, text } of own)
        assert.equal(text, source[Number(line) - 1]);
    assert.ok(lines.some(({ bar }) => bar === "100%"));
    assert.ok((await texts(page, ".line .count")).some((text) => text.includes("±")));
});

test("source opens at the hottest line of the hottest function", async (browser) => {
    for (const name of ["blinky", "throws"]) {
        const viewport = { width: 1366, height: 300 }; // so low that it must scroll
        const there = await open(browser, name, "#source", { viewport });
        const { lines } = dataOf(name).source.functions[0];
        const time = ([, , , , of]) => of ?? 0;
        const hottest = lines.reduce((most, line) => (time(line) > time(most) ? line : most));
        const line = there.locator(".line[aria-selected=true]");
        assert.equal(await line.locator(".number").textContent(), String(hottest[1] || ""));
        const { y, height } = await line.boundingBox();
        assert.ok(y > 100 && y + height <= 300, `${y}`);
    }
});

test("source shows instructions", async (browser) => {
    const page = await open(browser, "blinky", "#source");
    await page.click("aside >> text=square_root");
    await press(page, "a");
    assert.match(await fragment(page), /^#source\/0x[0-9a-f]+\?asm=1$/);
    const { source, functions } = dataOf("blinky");
    const index = functions.rows.findIndex(({ name }) => name === "square_root");
    const code = source.functions.find((each) => each.function === index).code
        .filter(([kind]) => kind === 4);
    assert.ok(code.length > 10);
    const shown = await texts(page, ".kind4 .number");
    assert.deepEqual(shown, code.slice(0, shown.length).map(([, at]) => at.toString(16)));
    await press(page, "a");
    assert.equal(await page.locator(".kind4").count(), 0);
});

test("compare shows the function that became slower", async (browser) => {
    const page = await open(browser, "shares", "#compare"), { changes } = dataOf("shares");
    const { time, sigmas } = changes, slower = changes.rows.find(({ name }) => name === "one");
    assert.ok(slower.sigmas > 3 && slower.self_seconds > 3 * slower.self_seconds_error);
    const row = page.locator(".tr:has(.fn:text-is('one'))");
    assert.equal(await row.locator(".change.slower").count() > 0, true);
    assert.match(await row.innerText(), /\+\d/);
    const sure = changes.rows.filter((each) => ["self", "total"].some((what) =>
        Math.abs(each[`${what}_seconds`]) >= sigmas * each[`${what}_seconds_error`]));
    assert.deepEqual((await names(page)).sort(), sure.map(({ name }) => name).sort());
    assert.ok(!sure.some(({ name }) => name === "four")); // its share fell, its time did not
    const headline = await page.innerText(".headline");
    assert.match(headline, /^The program's time changed by \+[\d.]+ *±[\d.]+ *%/);
    assert.ok(Math.abs(/\+([\d.]+)/.exec(headline)[1] - time.change) < time.error, headline);
    assert.ok(headline.includes(`${sure.length} of ${changes.rows.length} functions changed`));
    await page.click("text=show all");
    const by = [...changes.rows].sort((a, b) =>
        Math.abs(b.self_seconds) - Math.abs(a.self_seconds)).map(({ name }) => name);
    assert.equal((await names(page)).length, by.length);
    assert.deepEqual((await names(page)).slice(0, 2), by.slice(0, 2));
    await page.click(".head >> text=% after");
    assert.equal(await fragment(page), "#compare?all=1&sort=self_after");
    assert.equal((await names(page))[0], "four");
});

test("compare says so when nothing changed", async (browser) => {
    const page = await open(browser, "same", "#compare");
    assert.match(await page.innerText(".headline"), new RegExp("^The program's time did not change " +
        "by more than chance: .*%\\. No function changed by more than chance\\.$"));
});

test("flame graph is red and blue by what changed", async (browser) => {
    const page = await open(browser, "shares", "#compare"), { changes } = dataOf("shares");
    await page.click("text=flame graph of the change");
    assert.equal(await fragment(page), "#flame?colour=change");
    const red = (colour) => { const [r, , b] = colour.split(",").map(Number); return r - b; };
    const row = Object.keys(await colours(page, 50));
    assert.ok(row.some((colour) => red(colour) > 60) && row.some((colour) => red(colour) < 20));
    const slower = changes.rows.find(({ name }) => name === "one");
    await page.fill("input", "one");
    await page.focus(".canvas");
    await press(page, "ArrowDown", "ArrowDown", "Home");
    for (let i = 0; await page.textContent(".details .fn") !== "one" && i < 9; i++)
        await press(page, "ArrowLeft");
    for (let i = 0; await page.textContent(".details .fn") !== "one" && i < 9; i++)
        await press(page, "ArrowRight");
    const details = await page.innerText(".details");
    const [, was, change] = /was ([\d.]+) %, *\+([\d.]+)/.exec(details);
    assert.ok(Math.abs(was - slower.total_before) < 0.1, details);
    assert.ok(Math.abs(change - 100 * slower.total_seconds / changes.time.before) < 1, details);
});

test("an interrupt that called has the report's name", async (browser) => {
    const { functions, arcs } = dataOf("chibios");
    const [, callee] = arcs.rows.map((row) => [row.caller, row.callee, row.interrupt])
        .find(([caller, , interrupt]) => caller === null && interrupt === 1);
    const at = `#graph/0x${functions.rows[callee].address.toString(16)}`;
    const page = await open(browser, "chibios", at);
    assert.deepEqual(await texts(page, ".arcs.caller .who"), ["<interrupt>"]);
});

test("the flame graph's shares are the report's", async (browser) => {
    const page = await open(browser, "callers", "#flame"), { tree, run } = dataOf("callers");
    assert.ok(tree.names.includes("[in no finished call]"));
    assert.equal(tree.total, run.program);
    const ticks = run.program.toLocaleString("en-US");
    assert.ok((await page.innerText("main")).includes(`${ticks} ticks of ${ticks}`));
});

test("times of calls are columns", async (browser) => {
    const page = await open(browser, "callers", "#functions");
    const head = await page.innerText(".head");
    for (const title of ["self %", "total %", "calls", "mean", "min", "max"])
        assert.ok(head.includes(title), title);
    const row = await page.innerText(".tr:has(.fn:text-is('filter'))");
    assert.match(row, /200/);
    assert.match(row, /320/); // the mean of 100 calls of 576 µs and 100 of 64
});

test("percentiles of calls are columns where they are known", async (browser) => {
    const head = async (name, width) => (await (await open(browser, name, "#functions",
        { viewport: { width, height: 768 } })).innerText(".head")).split("\n");
    assert.ok(!(await head("callers", 1700)).includes("p99"));
    for (const title of ["self ms", "min", "p50", "p99", "max"])
        assert.ok((await head("singles", 1700)).includes(title), title);
    const page = await open(browser, "singles", "#functions"), [work] =
        dataOf("singles").functions.rows.filter(({ name }) => name === "work");
    const row = await page.innerText(".tr:has(.fn:text-is('work'))");
    assert.deepEqual([work.p50, work.p99], [100, 199]);
    assert.match(row, /100\.\d+\s+199\.0+\s+200\.0+/);
    await page.evaluate(() => { location.hash = "#graph"; });
    assert.match(await page.innerText(".card"), /p50 · p99\s+100\.0+ · 199\.0+ µs/);
});

test("counts alone have no times", async (browser) => {
    const page = await open(browser, "counts"), data = dataOf("counts");
    assert.match(await page.innerText(".tiles"), /Counted\s+1,974\s+calls\s+Lost\s+nothing/);
    assert.deepEqual(await texts(page, "header nav a"),
        ["Overview", "Functions", "Call graph", "Source"]);
    await press(page, "2");
    assert.doesNotMatch(await page.innerText("main"), /%|±|samples/);
    const fib = data.functions.rows.find(({ name }) => name === "fib");
    const cells = await page.innerText(".tr:has(.fn:text-is('fib')) > :nth-child(2)");
    assert.equal(cells, `${fib.calls} +${fib.recursive.toLocaleString("en-US")}`);
    await press(page, "3", "4");
    assert.deepEqual(page.said, []);
});

test("each function leads to its place in each view", async (browser) => {
    const page = await open(browser, "blinky", "#functions");
    await page.click(".tr .fn:text-is('square_root')");
    const at = (await fragment(page)).split("/")[1];
    await page.click(".card .links >> text=flame graph");
    assert.equal(await fragment(page), `#flame/${at}`);
    assert.match(await page.innerText(".matched"), /square_root/);
    await page.goBack();
    await page.click(".card .links >> text=source");
    assert.equal(await fragment(page), `#source/${at}`);
    assert.equal(await page.textContent(".pane h2"), "square_root");
    await page.click(".pane .links >> text=table");
    assert.equal(await fragment(page), `#functions/${at}`);
    assert.equal(await page.textContent(".tr[aria-selected=true] .fn"), "square_root");
    for (const [key, view] of [["s", "source"], ["g", "graph"], ["f", "flame"]]) {
        await press(page, key);
        assert.equal(await fragment(page), `#${view}/${at}`);
        if (view === "flame")
            break;
    }
});

test("the address keeps the view", async (browser) => {
    const page = await open(browser, "throws", "#functions?sort=-name&find=ar");
    const shown = await names(page);
    assert.ok(shown.length > 1);
    assert.deepEqual(shown, [...shown].sort((a, b) => b.localeCompare(a)));
    assert.equal(await page.inputValue("input"), "ar");
    await page.reload();
    await page.waitForSelector("main");
    assert.deepEqual(await names(page), shown);
    const odd = await open(browser, "throws", "#nowhere/0xffff?zoom=a;b&sort=xyzzy&find=%E0");
    assert.match(await odd.innerText("main"), /Hottest functions/);
    for (const view of ["functions", "flame", "graph", "source"]) {
        const lost = await open(browser, "throws", `#${view}/0xffff?zoom=99&sort=xyzzy`);
        assert.deepEqual(lost.said, []);
    }
});

test("views and help have keys", async (browser) => {
    const page = await open(browser, "shares");
    const views = ["overview", "functions", "flame", "graph", "source", "compare"];
    const there = await texts(page, "header nav a");
    for (let i = there.length; i >= 1; i--) {
        await press(page, String(i));
        assert.equal(await page.getAttribute("header nav a[aria-current]", "title"), `Key ${i}`);
    }
    assert.equal(there.length, views.length);
    await press(page, "?");
    assert.ok(await page.isVisible("dialog"));
    await press(page, "Escape");
    assert.equal(await page.locator("dialog").count(), 0);
    await press(page, "/");
    await page.keyboard.type("2"); // is no view while one types
    await settled(page);
    assert.equal(await page.inputValue("input"), "2");
});

test("light, dark and print", async (browser) => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = (colour) => /\d+/.exec(colour)[0] > 128;
    const page = await open(browser, "blinky", "#flame", { colorScheme: "light" });
    assert.ok(light(await ground(page)));
    const before = await colours(page, 30);
    await page.emulateMedia({ colorScheme: "dark" });
    await settled(page);
    assert.ok(!light(await ground(page)));
    assert.notDeepEqual(await colours(page, 30), before);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await settled(page);
    assert.ok(light(await ground(page)));
    assert.equal(await page.isVisible("header nav"), false);
    assert.deepEqual(Object.keys(await colours(page, 30))[0], Object.keys(before)[0]);
});

test("nothing is wider than the window", async (browser) => {
    for (const width of [1366, 800])
        for (const name of ["chibios", "shares", "callers", "lossy"]) {
            const page = await open(browser, name, "", { viewport: { width, height: 700 } });
            for (const view of await page.locator("header nav a").all()) {
                await view.click();
                await settled(page);
                const [wide, high] = await page.evaluate(() => [
                    document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
                assert.ok(wide <= width && high <= 700, `${name} ${await fragment(page)} ${width}`);
            }
            await page.context().close();
        }
});

test("20,000 functions need few elements", async (browser) => {
    const page = await open(browser, "large", "#functions");
    const count = () => page.locator("main *").count();
    assert.match(await page.innerText(".count"), /^20,000 functions/);
    assert.ok(await count() < 2500, `${await count()}`);
    await press(page, "End");
    assert.equal(await page.getAttribute(".tr[aria-selected=true]", "aria-rowindex"), "20000");
    await page.fill("input", "function_12345");
    await settled(page);
    assert.deepEqual(await names(page), ["function_12345"]);
    await page.fill("input", "");
    for (const key of ["1", "3", "4", "5"]) {
        await page.click(`header nav a:nth-child(${key})`);
        await settled(page);
        assert.ok(await count() < 2500, `${key}: ${await count()}`);
    }
    assert.deepEqual(page.said, []);
});

test("hostile names are shown, not run", async (browser) => {
    const page = await open(browser, "hostile", "#functions"), data = dataOf("hostile");
    assert.equal(await page.title(), "hostile.elf – mcuprof");
    const shown = await names(page);
    for (const { name } of data.functions.rows)
        assert.ok(shown.includes(name), name.slice(0, 80));
    assert.equal(await page.locator("script").count(), 1 + data.blocks);
    assert.equal(await page.locator("img").count(), 0);
    for (const view of await page.locator("header nav a").all()) {
        await view.click();
        await settled(page);
    }
    for (const { address } of data.functions.rows)
        for (const view of ["graph", "flame", "source"]) {
            const at = `#${view}/0x${address.toString(16)}`;
            await page.evaluate((to) => { location.hash = to; }, at);
            await settled(page);
        }
    assert.deepEqual(page.said, []);
});

test("nothing leaves the page", async (browser) => {
    const page = await open(browser, "blinky");
    for (const view of await page.locator("header nav a").all()) {
        await view.click();
        await settled(page);
    }
    const own = page.asked.filter((url) => !url.startsWith("data:"));
    assert.deepEqual(own.map((url) => url.split("/").at(-1)), ["blinky.html"]);
    assert.deepEqual(page.said, []);
    let connected = 0;
    const server = createServer((socket) => { connected++; socket.destroy(); });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const tried = await page.evaluate(async (port) => {
        const outcome = (promise) => promise.then(() => "sent", () => "refused");
        const image = new Image();
        const asked = await Promise.all([
            outcome(fetch(`http://127.0.0.1:${port}/`)),
            outcome(new Promise((done, fail) => Object.assign(image, {
                onload: done, onerror: fail, src: `http://127.0.0.1:${port}/x.png` })))]);
        const script = document.createElement("script");
        script.textContent = "globalThis.ran = true";
        document.body.append(script);
        return [...asked, globalThis.ran ?? "did not run"];
    }, server.address().port);
    server.close();
    assert.deepEqual(tried, ["refused", "refused", "did not run"]);
    const refused = page.said.filter((text) => text.includes("Content Security Policy"));
    for (const directive of ["connect-src", "img-src", "script-src"])
        assert.ok(refused.some((text) => text.includes(directive)), directive);
    assert.equal(connected, 0);
});

flameTests({ test, open, dataOf, fragment, press, texts, settled });
timelineTests({ test, open, dataOf, fragment, press });
layoutTests({ test, open, settled });
accessTests({ test, open, press, settled, fragment });

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
for (const { name, body } of tests) {
    let failure = null;
    try {
        await body(browser);
    } catch (error) {
        failure = error.stack;
    }
    console.log(JSON.stringify({ name, failure }));
    await Promise.all(browser.contexts().map((context) => context.close()));
}
await browser.close();
