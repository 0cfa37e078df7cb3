// SPDX-License-Identifier: MIT
// How long a browser takes from the address to the first view of a large profile: of the page of
// `mcuprof html`, and of the page of npm's speedscope package with the same paths; and how long the
// page takes for a key in its search, and for a zoom of the flame graph. See README.md.
//
//     node bench/page.mjs [ELF [OPTION...] CAPTURE]     default: 20,000 functions of tests/browser
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const TIMES = 9, MCUPROF = "build/mcuprof", OUT = resolve("build/bench/page");
const { chromium } = createRequire(resolve("host/page/web/package.json"))("playwright-core");

/** A profile of 20,000 functions. */
function large() {
    const make = "import sys; sys.path.append('tests/browser')\n" +
        "import pages\nprint(*pages.large(sys.argv[1]))";
    const told = execFileSync("python3", ["-B", "-c", make, OUT], { encoding: "utf8" });
    const [elf, capture] = told.trim().split(" ");
    return [elf, "--hz", "1000", capture];
}

function prepare([elf, ...rest]) {
    execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", OUT,
        "speedscope@1.25.0"]);
    execFileSync(MCUPROF, ["html", "-e", elf, "-o", `${OUT}/page.html`, ...rest]);
    execFileSync(MCUPROF, ["export", "--to", "speedscope", "-e", elf, "-o", `${OUT}/profile.json`,
        ...rest]);
    // As speedscope's own command does it: a page that is read from a disk can only read scripts.
    const data = readFileSync(`${OUT}/profile.json`).toString("base64");
    writeFileSync(`${OUT}/profile.js`,
        `speedscope.loadFileFromBase64("profile.json", "${data}")`);
}

const SPEEDSCOPE = `file://${OUT}/node_modules/speedscope/dist/release/index.html` +
    `#localProfilePath=${OUT}/profile.js`;
const PAGES = [
    ["mcuprof html: overview", `file://${OUT}/page.html`, () => document.querySelector("main h2")],
    ["mcuprof html: flame graph", `file://${OUT}/page.html#flame`,
        () => document.querySelector("canvas")],
    ["speedscope", SPEEDSCOPE, () => [...document.querySelectorAll("div")].some((each) =>
        each.textContent === "🕰Time Order") && document.querySelector("canvas")],
];

async function once(browser, address, isThere) {
    const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
    await page.goto(address, { waitUntil: "commit" });
    await page.waitForFunction(isThere, null, { polling: "raf", timeout: 60000 });
    const seen = await page.evaluate(() => new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))));
    await page.close();
    return seen;
}

/** Milliseconds from something that is done on the page until it is drawn. */
const until = (page, what, argument) => page.evaluate(([kind, text]) => new Promise((done) => {
    const start = performance.now(), box = document.querySelector("input");
    if (kind === "type") {
        box.value = text;
        box.dispatchEvent(new Event("input", { bubbles: true }));
    } else
        document.querySelector(".canvas").dispatchEvent(
            new KeyboardEvent("keydown", { key: text, bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
}), [what, argument]);

/** Keys in the search, steps and zooms in the flame graph. */
async function used(browser, view) {
    const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
    await page.goto(`file://${OUT}/page.html${view}`);
    await page.waitForSelector(view === "#flame" ? "canvas" : ".rows");
    const took = { typing: [], zoom: [] }, word = "function_123";
    for (let i = 0; i < TIMES; i++)
        took.typing.push(await until(page, "type", word.slice(0, 1 + i % word.length)));
    await until(page, "type", "");
    for (let i = 0; view === "#flame" && i < TIMES; i++) {
        await until(page, "key", "ArrowDown");
        took.zoom.push(await until(page, "key", i % 3 === 2 ? "Escape" : "Enter"));
    }
    await page.close();
    return took;
}

function say(name, took) {
    const [least, middle, most] = [0, took.length >> 1, took.length - 1].map((i) =>
        [...took].sort((a, b) => a - b)[i].toFixed(0));
    console.log(`${name.padEnd(32)} ${middle.padStart(6)} ms  (${least} to ${most})`);
}

mkdirSync(OUT, { recursive: true });
prepare(process.argv.length > 2 ? process.argv.slice(2) : large());
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--allow-file-access-from-files", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"],
});
const took = PAGES.map(() => []);
for (let i = 0; i < TIMES; i++)
    for (const [number, [, address, isThere]] of PAGES.entries())
        took[number].push(await once(browser, address, isThere));
for (const [number, [name]] of PAGES.entries())
    say(name, took[number]);
for (const view of ["#functions", "#flame"]) {
    const { typing, zoom } = await used(browser, view);
    say(`${view}: a key in the search`, typing);
    if (zoom.length > 0)
        say(`${view}: a zoom`, zoom);
}
await browser.close();
