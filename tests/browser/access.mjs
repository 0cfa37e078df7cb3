// SPDX-License-Identifier: MIT
// For those who do not see well or use no mouse: axe-core finds nothing wrong in any view, light and
// dark, at three widths; keys reach all; texts on a canvas have contrast.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const axe = readFileSync(new URL("../../host/page/web/node_modules/axe-core/axe.min.js",
    import.meta.url), "utf8");
const WIDTHS = [1440, 1024, 420], CONTRAST = 4.5;
const VIEWS = [
    ["blinky", ["#overview", "#functions", "#flame", "#graph", "#source"]],
    ["lossy", ["#overview", "#timeline?from=0.001&to=0.002", "#functions?show=gains"]],
    ["shares", ["#compare?all=1", "#flame?colour=change", "#flame?show=sandwich"]],
];

/** What axe finds, one line each; colours alone need only the rule for contrast. */
const found = (page, rules) => page.evaluate(async (only) => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"],
        ...only && { runOnly: only } });
    return violations.flatMap(({ id, impact, nodes }) => nodes.slice(0, 3).map(({ html, any }) =>
        `${id} (${impact}): ${html.slice(0, 160)} ${any[0]?.message ?? ""}`));
}, rules);

/** The contrast of the least readable frame of a flame graph, by WCAG 2. */
const leastContrast = (page) => page.evaluate(() => {
    const canvas = document.querySelector("canvas"), context = canvas.getContext("2d");
    const bright = (values) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => {
        const value = values[i] / 255;
        return sum + part * (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    }, 0);
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--flame-text");
    const text = bright(/\w{6}/.exec(context.fillStyle)[0].match(/../g).map((hex) => parseInt(hex, 16)));
    let least = Infinity;
    for (let y = 3; y < height; y += 20) { // above the letters
        let run = 0;
        for (let x = 1; x < width; x++) {
            const at = 4 * (y * width + x), same = [0, 1, 2].every((i) => data[at + i] ===
                data[at - 4 + i]);
            run = same && data[at + 3] === 255 ? run + 1 : 0;
            const ground = bright(data.slice(at, at + 3));
            if (run === 60) // so wide that it may have a name
                least = Math.min(least, (Math.max(text, ground) + 0.05) /
                    (Math.min(text, ground) + 0.05));
        }
    }
    return least;
});

export function accessTests({ test, open, press, settled, fragment }) {
    for (const [colorScheme, rules] of [["light", null], ["dark", ["color-contrast"]]])
        test(`axe finds nothing in any view, ${colorScheme}`, async (browser) => {
            for (const [name, fragments] of VIEWS) {
                const page = await open(browser, name, "", { colorScheme, bypassCSP: true });
                await page.evaluate(axe);
                for (const where of fragments)
                    for (const width of WIDTHS) {
                        await page.setViewportSize({ width, height: 860 });
                        await page.evaluate((to) => { location.hash = to; }, where);
                        await settled(page);
                        assert.deepEqual(await found(page, rules), [], `${name}${where} ${width}`);
                    }
                await page.context().close();
            }
        });

    test("names in the flame graph have contrast", async (browser) => {
        for (const colorScheme of ["light", "dark"])
            for (const [name, way] of [["deep", ""], ["chibios", ""], ["shares", "?colour=change"]]) {
                const page = await open(browser, name, `#flame${way}`, { colorScheme });
                const least = await leastContrast(page);
                assert.ok(least >= CONTRAST && least < 21, `${name} ${colorScheme}: ${least}`);
                await page.context().close();
            }
    });

    test("titles of columns are reached and sort by key", async (browser) => {
        const page = await open(browser, "blinky", "#functions");
        await page.focus("input");
        for (let i = 0; i < 9 && await page.evaluate(() =>
            document.activeElement.textContent !== "total %"); i++)
            await press(page, "Tab");
        await press(page, "Enter");
        assert.equal(await fragment(page), "#functions?sort=total");
        await press(page, "Space");
        assert.equal(await fragment(page), "#functions?sort=-total");
        assert.equal(await page.getAttribute("[role=columnheader]:has-text('total %')",
            "aria-sort"), "ascending");
    });
}
