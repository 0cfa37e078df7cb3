// SPDX-License-Identifier: MIT
// What ran, so small that one look is enough: the large frames of the flame graph, and the load over
// time. Both lead to the view that has all of it.
import { useRef } from "preact/hooks";
import { useDrawing } from "./canvas.js";
import { drawFlame, ROW } from "./flame_draw.js";
import { nameOf, nodeAt } from "./flame_layout.js";
import { address, go } from "./route.js";
import { clockIn, loadOf } from "./timeline_layout.js";

const ROWS = 8, WHOLE = 0.95, BINS = 180, HIGH = 100;

/** The first level that is worth a row: those that nearly one node fills come above it. */
function firstOf({ levels, total }) {
    let first = 0;
    while (first + 1 < levels.length && levels[first].some(({ count }) => count >= WHOLE * total) &&
        levels[first + 1].some(({ count }) => count >= WHOLE * total))
        first++;
    return first;
}

export function SmallFlame({ tree }) {
    const box = useRef(null), canvas = useRef(null), { levels, total } = tree;
    const first = firstOf(tree), shown = levels.slice(first, first + ROWS);
    useDrawing(box, () => drawFlame(canvas.current, box.current,
        { levels: shown, from: 0, to: total }));
    const zoom = (event) => {
        const area = canvas.current.getBoundingClientRect();
        const depth = first + Math.floor((event.clientY - area.top) / ROW);
        const node = nodeAt(levels, depth, (event.clientX - area.left) / area.width * total);
        if (node && event.detail > 0) { // a key follows the link
            event.preventDefault();
            go({ view: "flame", zoom: nameOf(levels, node) });
        }
    };
    return (
        <a class="mini" href={address({ view: "flame" })} onClick={zoom} ref={box}
            aria-label="flame graph" style={{ height: `${shown.length * ROW}px` }}>
            <canvas ref={canvas} />
        </a>);
}

/** Areas of what interrupts, and tasks that do not idle, had of each moment. */
export function LoadOverTime({ timeline }) {
    const load = loadOf(timeline, BINS), width = BINS, clock = clockIn(timeline);
    const area = (low, high) => "M" + [...high.map((y, x) => `${x} ${y}H${x + 1}`),
        ...low.map((y, x) => `${x + 1} ${y}H${x}`).reverse()].join("V") + "Z";
    const ofBins = (share) => load.map((each) => HIGH - HIGH * share(each));
    const ground = load.map(() => HIGH), irq = ofBins(({ interrupts }) => interrupts);
    const all = ofBins(({ interrupts, tasks }) => interrupts + tasks);
    return (
        <a class="mini load" href={address({ view: "timeline" })}>
            <span class="full">100 %</span>
            <svg viewBox={`0 0 ${width} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
                <path class="tasks" d={area(irq, all)} /><path class="irqs" d={area(ground, irq)} />
            </svg>
            <span class="ends"><span>{clock(0)}</span><span>
                <i class="key tasks" />tasks <i class="key irqs" />interrupts</span>
                <span>{clock(timeline.ticks)}</span></span>
        </a>);
}
