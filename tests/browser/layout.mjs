// SPDX-License-Identifier: MIT
// At each width a table's name comes first and stays, no figure of it is cut, and in no view a text is
// cut without saying so, or lies on another.
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

const ALL = [
    ["blinky", ["#overview", "#functions", "#flame", "#graph", "#source"]],
    ["lossy", ["#overview", "#timeline", "#flame?show=sandwich", "#flame?find=work"]],
    ["energy", ["#overview"]], ["singles", ["#graph"]], ["large", ["#overview", "#graph"]],
    ["shares", ["#overview", "#compare?all=1", "#flame?colour=change"]],
];

/** Texts that are cut without an ellipsis or a way to scroll, and pairs that lie on each other. */
const crowded = (page) => page.evaluate(() => {
    const found = [], texts = [];
    /** What can be seen of an element, and what cuts it without a word: a box that has neither an
        ellipsis nor a way to scroll, before one that has. */
    const clipOf = (element) => {
        const clip = { left: 0, right: innerWidth, top: 0, bottom: innerHeight, silent: Infinity };
        let told = false;
        for (let at = element; at !== document.documentElement; at = at.parentElement) {
            const { overflowX, textOverflow } = getComputedStyle(at);
            if (overflowX === "visible")
                continue;
            const { left, right, top, bottom } = at.getBoundingClientRect();
            told ||= textOverflow === "ellipsis" || /auto|scroll/.test(overflowX);
            Object.assign(clip, { left: Math.max(clip.left, left), right: Math.min(clip.right, right),
                top: Math.max(clip.top, top), bottom: Math.min(clip.bottom, bottom),
                silent: told ? clip.silent : Math.min(clip.silent, right) });
        }
        return clip;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const of = node.parentElement, text = node.data.trim(), range = document.createRange();
        if (!text || of.closest("script, style, noscript, svg"))
            continue;
        range.selectNodeContents(node);
        const clip = clipOf(of);
        for (const { left, right, top, bottom, width } of range.getClientRects()) {
            if (width === 0 || bottom <= clip.top + 1 || top >= clip.bottom - 1)
                continue;
            if (right > clip.silent + 1)
                found.push(`cut: ${text}`);
            if (!of.closest(".head, .names")) // they lie on what is scrolled
                texts.push({ of, text, top, bottom, left: Math.max(left, clip.left),
                    right: Math.min(right, clip.right) });
        }
    }
    for (const [i, one] of texts.entries())
        for (const other of texts.slice(i + 1))
            if (one.of !== other.of && one.left < other.right - 2 && other.left < one.right - 2 &&
                one.top < other.bottom - 5 && other.top < one.bottom - 5)
                found.push(`${one.text} lies on ${other.text}`);
    return found;
});

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

    test("no text is cut or lies on another in any view", async (browser) => {
        for (const [name, fragments] of ALL) {
            const page = await open(browser, name);
            for (const fragment of fragments)
                for (const width of WIDTHS) {
                    await page.setViewportSize({ width, height: 860 });
                    await page.evaluate((to) => { location.hash = to; }, fragment);
                    for (let i = 0; i < 6; i++) // a column is left out at a time
                        await settled(page);
                    assert.deepEqual(await crowded(page), [], `${name}${fragment} ${width}`);
                    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth),
                        width, `${name}${fragment}`);
                }
            await page.context().close();
        }
    });
}
