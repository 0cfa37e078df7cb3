// SPDX-License-Identifier: MIT
// At each width a table's name comes first and stays, and no figure of it is cut.
import assert from "node:assert/strict";

const WIDTHS = [1440, 1024, 420];
const VIEWS = [
    ["blinky", "#functions"], ["chibios", "#functions"], ["callers", "#functions"],
    ["energy", "#functions"], ["singles", "#functions"], ["large", "#functions"],
    ["chibios", "#functions?show=gains"], ["large", "#functions?show=gains"],
    ["shares", "#compare?all=1"], ["same", "#compare"],
];

/** Figures that are wider than their cells, and names that are not where they should be. */
const faults = (page, scrolled) => page.evaluate((far) => {
    const rows = document.querySelector(".table .rows"), found = [];
    rows.scrollLeft = far ? rows.scrollWidth : 0;
    const frame = rows.getBoundingClientRect();
    for (const tr of rows.querySelectorAll(".tr")) {
        const { left, right } = tr.firstElementChild.getBoundingClientRect();
        if (left < frame.left || right > frame.right || right - left < 100)
            found.push(`name from ${left} to ${right}: ${tr.innerText}`);
        for (const cell of tr.children)
            if (!cell.classList.contains("text") && cell.scrollWidth > cell.clientWidth)
                found.push(`cut: ${cell.innerText}`);
    }
    return found;
}, scrolled);

export function layoutTests({ test, open, settled }) {
    test("tables are not cut at any width", async (browser) => {
        for (const [name, fragment] of VIEWS) {
            const page = await open(browser, name, fragment);
            for (const width of WIDTHS) {
                await page.setViewportSize({ width, height: 768 });
                await page.waitForSelector(".table .tr:not(.head)");
                for (let i = 0; i < 6; i++) // a column is left out at a time
                    await settled(page);
                for (const scrolled of [false, true])
                    assert.deepEqual(await faults(page, scrolled), [], `${name}${fragment} ${width}`);
            }
            await page.context().close();
        }
    });
}
