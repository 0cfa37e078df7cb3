// SPDX-License-Identifier: MIT
// Draws docs/page.png, a view of a page of `mcuprof html`, at twice its size:
//
//     make capture BOARD=mps2-an385 EXAMPLE=lua REAL_ROUNDS=40 KNOBS=-DMCUPROF_SAMPLE_HZ=4000
//     build/mcuprof html -o lua.html -e build/firmware/mps2-an385/lua.elf \
//         build/firmware/mps2-an385/lua.mprof
//     node docs/page_picture.mjs lua.html '#flame' docs/page.png
import { createRequire } from "node:module";
import { resolve } from "node:path";

const { chromium } = createRequire(resolve("host/page/web/package.json"))("playwright-core");
const [path, fragment, out] = process.argv.slice(2);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1180, height: 620 },
    deviceScaleFactor: 2, colorScheme: "light" });
await page.goto(`file://${resolve(path)}${fragment}`);
await page.waitForSelector("canvas");
await page.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done))));
await page.mouse.move(640, 310); // a frame to tell of
await page.screenshot({ path: out });
await browser.close();
