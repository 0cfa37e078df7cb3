// SPDX-License-Identifier: MIT
// Draws the lanes in sight. Where slices are narrower than a pixel, a pixel's column is as dark as
// the share of its time that they take, so that a picture takes as long as it is wide.
import { duration } from "./figures.js";
import { clockOf, stepOf } from "./timeline_layout.js";
import { sized } from "./canvas.js";

export const LANE = 26, AXIS = 30;
const BAR = 18, LABEL_ROOM = 96, NARROW = 1.5;
const HUES = [250, 155, 310, 205, 95, 345, 125, 280];

function paletteOf(element) {
    const style = getComputedStyle(element), read = (name) => style.getPropertyValue(name).trim();
    return { ink: read("--ink"), faint: read("--faint"), line: read("--line"), hot: read("--hot"),
        idle: read("--flame-grey"), bad: read("--bad"), ground: read("--ground"),
        raised: read("--raised"), accent: read("--accent"), ui: read("--ui"),
        task: (i) => `oklch(${read("--track-light")} 0.12 ${HUES[i % HUES.length]})` };
}

function colourOf(lane, index, palette) {
    if (lane.kind === "unknown")
        return palette.bad;
    if (lane.kind === "mark")
        return palette.accent;
    return lane.of.interrupt ? palette.hot : lane.of.idle ? palette.idle : palette.task(index);
}

/** Calls take(x, width, share, i) for the slices in sight: i is -1 for a column of several. */
function forEachSeen(slices, { from, to, scale }, take) {
    let drawn = -1; // the last column
    for (let i = slices.after(from); i < slices.count && slices.from[i] < to;) {
        const left = Math.max((slices.from[i] - from) * scale, 0);
        const width = (Math.min(slices.to[i], to) - from) * scale - left;
        if (width >= NARROW) {
            take(left, width, 1, i++);
            continue;
        }
        const column = Math.max(Math.floor(left), drawn + 1), end = from + (column + 1) / scale;
        const busy = slices.busyUntil(end) - slices.busyUntil(from + column / scale);
        take(column, 1, busy * scale, -1);
        drawn = column;
        i = Math.max(slices.after(end), i + 1);
    }
}

function drawBars(context, slices, sight, y, height, colour) {
    context.fillStyle = colour;
    forEachSeen(slices, sight, (x, width, share) => {
        context.globalAlpha = Math.min(1, Math.max(share, 0.22));
        context.fillRect(x, y, Math.max(width - (width > 4 ? 0.5 : 0), 1), height);
    });
    context.globalAlpha = 1;
}

/** Writes the lengths of the slices that have room for them. */
function drawLengths(context, slices, sight, y, colour) {
    context.fillStyle = colour;
    forEachSeen(slices, sight, (x, width, share, i) => {
        if (i < 0 || width < 54)
            return;
        const text = duration((slices.to[i] - slices.from[i]) / sight.hz);
        if (context.measureText(text).width < width - 10)
            context.fillText(text, x + 5, y + BAR / 2 + 0.5);
    });
}

/** A line from when a task might run until it did. */
function drawWaits(context, slices, sight, y, colour) {
    context.fillStyle = colour;
    forEachSeen(slices, sight, (x, width, share) => {
        context.globalAlpha = 0.7 * Math.max(share, 0.3);
        context.fillRect(x, y + BAR - 3, Math.max(width, 1), 3);
    });
    context.globalAlpha = 1;
}

/** Values as points between the least and the most, joined by steps; a column shows a range. */
function drawValues(context, { of, values }, sight, y, palette) {
    const { least, most } = of, room = BAR - 6;
    const heightOf = (value) => y + 3 + (most > least ? room * (most - value) / (most - least) :
        room / 2);
    let last = null;
    context.fillStyle = palette.ink;
    for (let i = Math.max(0, values.after(sight.from) - 1); i < values.count; i++) {
        const x = (values.from[i] - sight.from) * sight.scale, at = heightOf(values.value[i]);
        if (last && x > last.x && x > 0) {
            context.globalAlpha = 0.35;
            context.fillRect(last.x, last.at - 0.5, x - last.x, 1);
        }
        if (x > sight.width)
            break;
        context.globalAlpha = 1;
        if (!last || x - last.x > 0.5 || Math.abs(at - last.at) > 1)
            context.fillRect(x - 1.5, at - 1.5, 3, 3);
        last = { x, at };
    }
    context.globalAlpha = 1;
}

let hatching = null;
function hatchOf(context, colour) {
    if (hatching?.colour === colour)
        return hatching.pattern;
    const tile = document.createElement("canvas"), side = 8;
    tile.width = tile.height = side;
    const drawn = tile.getContext("2d");
    drawn.strokeStyle = colour;
    drawn.lineWidth = 1.6;
    for (const shift of [-side, 0, side]) {
        drawn.beginPath();
        drawn.moveTo(shift, side);
        drawn.lineTo(shift + side, 0);
        drawn.stroke();
    }
    hatching = { colour, pattern: context.createPattern(tile, "repeat") };
    return hatching.pattern;
}

/** What is not known is hatched across all lanes. */
function drawUnknown(context, timeline, sight, height, palette) {
    context.fillStyle = hatchOf(context, palette.bad);
    forEachSeen(timeline.unknown_slices, sight, (x, width, share) => {
        context.globalAlpha = 0.3 * Math.max(share, 0.25);
        context.fillRect(x, AXIS, Math.max(width, 1), height);
    });
    context.globalAlpha = 1;
}

/** Calls take(x, seconds) for each step of the axis. */
function forEachStep({ from, to, scale, hz }, { start }, step, take) {
    for (let k = Math.ceil((start + from) / hz / step); k * step <= (start + to) / hz; k++)
        take(Math.round((k * step * hz - start - from) * scale), k * step);
}

const stepIn = ({ from, to, width, hz }) => stepOf((to - from) / hz, width / LABEL_ROOM);

function drawGrid(context, timeline, sight, height, palette) {
    context.fillStyle = palette.line;
    forEachStep(sight, timeline, stepIn(sight), (x) => context.fillRect(x, AXIS - 6, 1, height));
}

function drawAxis(context, timeline, sight, palette) {
    const { from, to, width, hz } = sight, step = stepIn(sight);
    const clock = clockOf((timeline.start + to) / hz, step);
    context.clearRect(0, 0, width, AXIS - 6);
    context.fillStyle = palette.faint;
    forEachStep(sight, timeline, step, (x, time) => {
        const text = clock(time), room = context.measureText(text).width;
        if (x + 4 + room < width)
            context.fillText(text, x + 4, AXIS / 2 + 1);
    });
    context.fillStyle = palette.line;
    context.fillRect(0, AXIS - 1, width, 1);
    if (to - from < timeline.ticks) { // shows where the part in sight is
        context.fillRect(0, 0, width, 3);
        context.fillStyle = palette.accent;
        context.fillRect(width * from / timeline.ticks, 0,
            Math.max(width * (to - from) / timeline.ticks, 3), 3);
    }
}

function drawRuns(context, timeline, sight, height, palette) {
    timeline.begins.forEach((at, i) => {
        const x = (at - sight.from) * sight.scale;
        if (i === 0 || at === 0 || x < 0 || x > sight.width)
            return;
        context.fillStyle = palette.ink;
        context.fillRect(x, 4, 1, height);
        context.fillText(`run ${i + 1}`, x + 4, AXIS + 8);
    });
}

function outline(context, slices, i, sight, y, palette) {
    const x = (slices.from[i] - sight.from) * sight.scale;
    const width = (slices.to[i] - slices.from[i]) * sight.scale;
    context.strokeStyle = palette.ink;
    context.lineWidth = 1.5;
    context.strokeRect(x - 0.75, y - 0.75, Math.max(width, 1) + 1.5, BAR + 1.5);
}

/** scene: timeline, from, to, cursor (lane, index and slices; or null), hover (x or null), lane. */
export function drawTimeline(canvas, box, scene) {
    const { timeline, from, to, cursor, hover } = scene;
    const { context, width, height } = sized(canvas, canvas.parentElement.clientWidth,
        box.clientHeight);
    const palette = paletteOf(box), { lanes, hz } = timeline;
    const sight = { from, to, scale: width / (to - from), width, hz };
    const bottom = Math.min(height, AXIS + lanes.length * LANE - box.scrollTop);
    context.font = `11.5px ${palette.ui}`;
    context.textBaseline = "middle";
    drawGrid(context, timeline, sight, bottom - AXIS + 6, palette);
    drawUnknown(context, timeline, sight, bottom - AXIS, palette);
    lanes.forEach((lane, i) => {
        const y = AXIS + i * LANE + (LANE - BAR) / 2 - box.scrollTop;
        if (y < AXIS - LANE || y > height)
            return;
        if (i === scene.lane) {
            context.fillStyle = palette.ink;
            context.globalAlpha = 0.05;
            context.fillRect(0, y - (LANE - BAR) / 2, width, LANE);
            context.globalAlpha = 1;
        }
        if (lane.waits)
            drawWaits(context, lane.waits, sight, y, palette.faint);
        drawBars(context, lane.slices, sight, y, BAR, colourOf(lane, i, palette));
        drawLengths(context, lane.slices, sight, y,
            lane.of.idle ? palette.ink : palette.ground);
        if (lane.values?.count > 0)
            drawValues(context, lane, sight, y, palette);
        if (cursor?.lane === i)
            outline(context, cursor.slices, cursor.index, sight, y, palette);
    });
    drawAxis(context, timeline, sight, palette);
    drawRuns(context, timeline, sight, bottom, palette);
    if (hover !== null) {
        context.fillStyle = palette.ink;
        context.globalAlpha = 0.5;
        context.fillRect(Math.round(hover), AXIS - 6, 1, bottom - AXIS + 6);
        context.globalAlpha = 1;
    }
}
