// SPDX-License-Identifier: MIT
// The page without an install, in a real browser: `make web` makes it, a plain server gives its
// files.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "../../host/page/web/node_modules/playwright-core/index.mjs";

const ELF = "build/firmware/microbit/blinky.elf";
const CAPTURE = "build/firmware/microbit/blinky.mprof";
const TYPES = { ".js": "text/javascript", ".html": "text/html", ".css": "text/css" };
const WAIT = { timeout: 60000 };

const server = createServer((request, answer) => {
    try {
        const path = request.url === "/" ? "/index.html" : request.url;
        const bytes = readFileSync(join("build/web", path));
        const type = TYPES[extname(path)] ?? "application/octet-stream";
        answer.writeHead(200, { "Content-Type": type });
        answer.end(bytes);
    } catch {
        answer.writeHead(404).end();
    }
});
let browser, context, page, home;
const wrong = [], asked = new Set();

before(async () => {
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    home = `http://127.0.0.1:${server.address().port}/`;
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
    context = await browser.newContext({ acceptDownloads: true });
    page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    await page.goto(home);
});
after(async () => {
    await browser?.close();
    server.close();
});

async function saved(name) {
    const waiting = page.waitForEvent("download", WAIT);
    await page.getByRole("link", { name: `Save ${name}` }).click(WAIT);
    return readFileSync(await (await waiting).path());
}

const text = () => page.locator("#text").textContent();

test("a chosen ELF and capture give the page", async () => {
    await page.setInputFiles("#files", [ELF, CAPTURE]);
    await page.frameLocator("#page").getByText("wait_cycles").first().waitFor(WAIT);
    assert.match(await page.locator("#said").textContent(), /not found/);
});

test("the report is the program's", async () => {
    await page.getByRole("button", { name: "Report" }).click(WAIT);
    await page.locator("#text").filter({ hasText: "wait_cycles" }).waitFor(WAIT);
    const native = spawnSync("build/mcuprof", ["report", "-e", ELF, CAPTURE],
        { encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8" } }).stdout;
    const names = (text) => text.replaceAll("build/firmware/microbit/", "/");
    assert.equal(names(await text()), names(native));
});

test("source is shown from a chosen folder", async () => {
    await page.setInputFiles("#folder", "examples/blinky");
    const frame = page.frameLocator("#page");
    await page.getByText(/files of source: 1/).waitFor(WAIT);
    await frame.getByText("wait_cycles").first().waitFor(WAIT);
    // Files of the board may be missing, if a sample hit one.
    assert.doesNotMatch(await page.locator("#said").textContent(), /blinky\.c/);
});

test("the build is checked, and the ELF with its table is saved", async () => {
    await page.getByRole("button", { name: "Check the build" }).click(WAIT);
    await page.locator("#text:visible").filter({ hasText: /\S/ }).waitFor(WAIT);
    await page.getByRole("button", { name: "Write the unwind table" }).click(WAIT);
    const written = await saved("blinky.elf");
    const copy = join(mkdtempSync(join(tmpdir(), "mcuprof-")), "blinky.elf");
    copyFileSync(ELF, copy);
    spawnSync("build/mcuprof", ["unwind", copy]);
    assert.deepEqual(written, readFileSync(copy));
});

test("what is no ELF, and no capture, is told", async () => {
    await page.reload();
    await page.setInputFiles("#files", [ELF, "Makefile"]);
    await page.locator("#said").filter({ hasText: "Makefile" }).waitFor(WAIT);
});

test("works without a network", async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await context.setOffline(true);
    server.closeAllConnections();
    await page.reload();
    await page.getByRole("button", { name: "Show a demo" }).click(WAIT);
    await page.frameLocator("#page").getByText("wait_cycles").first().waitFor(WAIT);
    await context.setOffline(false);
});

test("asked nobody else, and the policy was kept", () => {
    asked.delete("null"); // blobs
    assert.deepEqual([...asked], [new URL(home).origin]);
    assert.deepEqual(wrong, []);
});
