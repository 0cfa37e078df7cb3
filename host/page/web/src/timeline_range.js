// SPDX-License-Identifier: MIT
// What the part of a timeline that is in sight adds up to, as host/page/timeline.c has it of all.

/** Bins of lengths in ticks: four an octave, [from, to, count, ...] in seconds. */
function binsOf(lengths, hz) {
    const counts = new Map();
    for (const ticks of lengths) {
        const width = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(ticks, 1))) - 2);
        const low = Math.floor(ticks / width) * width;
        counts.set(low, [low / hz, (low + width) / hz, (counts.get(low)?.[2] ?? 0) + 1]);
    }
    return [...counts].sort(([a], [b]) => a - b).flatMap(([, bin]) => bin);
}

/** What a part of the lengths did not exceed, in seconds; null: there are none. */
const quantile = (sorted, part, hz) =>
    (sorted.length > 0 ? sorted[Math.max(Math.ceil(part * sorted.length) - 1, 0)] / hz : null);

function spreadOf(slices, from, to, hz) {
    const lengths = slices.within(from, to).map((i) => slices.lengthOf(i)).sort((a, b) => a - b);
    return { count: lengths.length, p50: quantile(lengths, 0.5, hz),
        p99: quantile(lengths, 0.99, hz), max: quantile(lengths, 1, hz), bins: binsOf(lengths, hz) };
}

/** Tracks and marks with their sums from one time to another, in ticks. */
export function sumsIn({ tracks, marks, unknown_slices: unknown, hz }, from, to) {
    const known = to - from - (unknown.busyUntil(to) - unknown.busyUntil(from));
    return {
        tracks: tracks.map((track) => {
            const { count: times, ...ran } = spreadOf(track.stretched, from, to, hz);
            const wait = spreadOf(track.waited, from, to, hz);
            const busy = track.slices.busyUntil(to) - track.slices.busyUntil(from);
            return { ...track, ...ran, times, ran: busy / hz, load: known > 0 ? 100 * busy / known : 0,
                waits: wait.count, wait_p50: wait.p50, wait_p99: wait.p99, wait_max: wait.max,
                wait_bins: wait.bins };
        }).filter(({ ran, waits }) => ran > 0 || waits > 0),
        marks: marks.map((mark) => {
            const { count: spans, ...span } = spreadOf(mark.slices, from, to, hz);
            const values = mark.values.within(from, to).map((i) => mark.values.value[i]);
            const first = values[0] ?? null; // a call with 300,000 arguments fails
            return { ...mark, ...span, spans, times: values.length, last: values.at(-1) ?? null,
                least: values.reduce((a, b) => Math.min(a, b), first),
                most: values.reduce((a, b) => Math.max(a, b), first) };
        }).filter(({ spans, times }) => spans > 0 || times > 0),
    };
}

/** The slice that a figure of these slices is of: the longest that takes no more; -1: it is not on
    the page. */
export function instanceOf(slices, seconds, hz, { from, to }) {
    const ticks = seconds * hz * (1 + 1e-9) + 1e-6;
    let best = -1;
    for (const i of slices.within(from, to))
        if (slices.lengthOf(i) <= ticks && (best < 0 || slices.lengthOf(i) > slices.lengthOf(best)))
            best = i;
    return best >= 0 && slices.lengthOf(best) > 0.8 * ticks ? best : -1; // a bin is a quarter octave
}
