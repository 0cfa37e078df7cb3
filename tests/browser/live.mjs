// SPDX-License-Identifier: MIT
// Looks at a page of `mcuprof serve`: node tests/browser/live.mjs URL. Prints what the page says
// whenever that changes, a line of JSON each, until nothing new will come.
import { createRequire } from "node:module";

const web = new URL("../../host/page/web/package.json", import.meta.url);
const { chromium } = createRequire(web)("playwright-core");
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage(), complaints = [];
page.on("console", (message) => complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(error.stack));
await page.route("**/news?*", async (route) => { // data that come late, as on a busy machine
    await new Promise((resolve) => { setTimeout(resolve, 500); });
    await route.continue();
});
await page.goto(process.argv[2]);
await page.waitForSelector("main");
let last = "";
for (let state = "live"; state === "live";) {
    state = await page.locator(".state").innerText();
    const functions = await page.locator(".ranks .fn").allInnerTexts();
    const note = await page.locator(".tile .note").first().innerText();
    const said = JSON.stringify({ state, note: /[\d,]+ samples|$/.exec(note)[0], functions,
        complaints });
    if (said !== last)
        console.log(said);
    last = said;
    await page.waitForTimeout(100);
}
await browser.close();
