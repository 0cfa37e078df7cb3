// SPDX-License-Identifier: MIT
// Looks at each view of pages that have little to show: node tests/browser/empty.mjs URL... Prints
// a line of JSON for each view: its address, its text, and what the browser complained of.
import { createRequire } from "node:module";

const web = new URL("../../host/page/web/package.json", import.meta.url);
const { chromium } = createRequire(web)("playwright-core");
const VIEWS = ["overview", "functions", "flame", "graph", "source", "timeline", "compare"];
const ADDRESSES = [
    ...VIEWS.flatMap((view) => [`#${view}`, `#${view}/0x8000`]), "#graph/0xffff",
    "#functions?show=gains", "#functions?find=xyzzy", "#flame?find=x", "#source?asm=1"];
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const settled = (page) => page.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done))));

for (const url of process.argv.slice(2)) {
    const page = await browser.newPage();
    let said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.stack));
    await page.goto(url);
    for (const address of ADDRESSES) {
        await page.evaluate((to) => { location.hash = to; }, address);
        await settled(page);
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        const text = await page.evaluate(() => document.querySelector("main")?.innerText);
        console.log(JSON.stringify({ url, address, text: text ?? "", said }));
        if (said.length > 0) { // another view of a page that died may live
            await page.goto("about:blank");
            await page.goto(url);
        }
        said = [];
    }
    await page.close();
}
await browser.close();
