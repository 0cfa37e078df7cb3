// SPDX-License-Identifier: MIT
// The timeline's slices as lanes: what ran, what waited and the program's own marks. Times are
// ticks since the first slice on the page.

/** Slices in the order of time; `busy[i]` is how long the slices before slice i took. */
class Slices {
    constructor(rows) { // [from, to] or [at, at, value]
        rows.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        this.count = rows.length;
        this.from = Float64Array.from(rows, ([from]) => from);
        this.to = Float64Array.from(rows, ([, to]) => to);
        this.value = rows.map(([, , value]) => value);
        this.busy = new Float64Array(rows.length + 1);
        for (let i = 0; i < rows.length; i++)
            this.busy[i + 1] = this.busy[i] + this.to[i] - this.from[i];
    }

    /** The first slice that ends behind a time. */
    after(time) {
        let low = 0, high = this.count;
        while (low < high) {
            const middle = low + high >> 1;
            if (this.to[middle] <= time)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /** How much of the time before `time` is in slices. */
    busyUntil(time) {
        const i = this.after(time);
        return this.busy[i] + (i < this.count ? Math.max(0, time - this.from[i]) : 0);
    }

    /** The slice at a time, or the nearest that is at most `reach` away; -1: none is. */
    at(time, reach) {
        const i = this.after(time);
        const away = (k) => (k < 0 || k >= this.count ? Infinity :
            Math.max(this.from[k] - time, time - this.to[k], 0));
        const nearest = away(i) <= away(i - 1) ? i : i - 1;
        return away(nearest) <= reach ? nearest : -1;
    }

    /** How long a slice took; a task's stretch is without what interrupted it. */
    lengthOf(i) {
        return this.value[i] ?? this.to[i] - this.from[i];
    }

    /** The slices that are in a time from their beginning to their end. */
    within(from, to) {
        const found = [];
        for (let i = this.after(from); i < this.count && this.from[i] < to; i++)
            if (this.from[i] >= from && this.to[i] <= to)
                found.push(i);
        return found;
    }
}

/** Slices by track or mark, of `width` numbers each. The list is in the order of their ends. */
function sorted(list, count, slice, width = 3) {
    const rows = Array.from({ length: count }, () => []);
    let at = 0;
    for (let i = 0; i < list.length; i += width) {
        at += list[i + 1];
        rows[list[i]]?.push(slice(at, list[i + 2], list[i + 3]));
    }
    return rows;
}

function ranOf(list, count) {
    const rows = Array.from({ length: count }, () => []), unknown = [];
    let at = 0;
    for (let i = 0; i < list.length; i += 2) {
        (list[i] === null ? unknown : rows[list[i]]).push([at, at + list[i + 1]]);
        at += list[i + 1];
    }
    return { rows, unknown };
}

/** Interrupts above tasks, then what is not known, then the program's own. */
function lanesOf({ tracks, marks, unknown }) {
    const each = (of, kind, slices, more) => ({ of, kind, slices, name: of.name, ...more });
    const ran = (interrupt) => tracks.filter((track) => track.interrupt === interrupt)
        .map((track) => each(track, "track", track.slices, { waits: track.waited }));
    const lost = unknown.count > 0 ?
        [each({ name: "not known" }, "unknown", unknown, {})] : [];
    return [...ran(true), ...ran(false), ...lost, ...marks.map((mark) => (
        each(mark, "mark", mark.slices, { values: mark.values })))];
}

/** Fills in slices and lanes; tracks and marks are there already. */
export function layOut(timeline) {
    const { tracks, marks, ran, stretches, waits, spans, values, runs } = timeline;
    const { rows, unknown } = ranOf(ran, tracks.length);
    const span = (at, ticks) => [at - ticks, at];
    const stretched = sorted(stretches, tracks.length,
        (at, ticks, own) => [at - ticks, at, own], 4);
    const waited = sorted(waits, tracks.length, span);
    const begun = sorted(spans, marks.length, span);
    const marked = sorted(values, marks.length, (at, value) => [at, at, value]);
    let at = 0;
    tracks.forEach((track, i) => {
        track.slices = new Slices(rows[i]);
        track.stretched = new Slices(stretched[i]); // `value`: without what interrupted it
        track.waited = new Slices(waited[i]);
    });
    marks.forEach((mark, i) => {
        mark.slices = new Slices(begun[i]);
        mark.values = new Slices(marked[i]);
    });
    timeline.unknown_slices = new Slices(unknown);
    timeline.ticks = timeline.end - timeline.start;
    timeline.begins = runs.map((behind) => (at += behind));
    timeline.lanes = lanesOf({ tracks, marks, unknown: timeline.unknown_slices });
    return timeline;
}

/** Steps of the axis: 1, 2 or 5 times a power of ten, so that there is room for each label. */
export function stepOf(seconds, most) {
    const least = seconds / Math.max(most, 1), power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((times) => times * power >= least * (1 - 1e-9));
}

/** A function that writes a time in the unit that suits the latest one, as finely as the steps. */
export function clockOf(latest, step) {
    const [unit, factor] = latest >= 1 ? ["s", 1] : latest >= 1e-3 ? ["ms", 1e3] : ["µs", 1e6];
    const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(step * factor) + 1e-9)), 9);
    return (time) => `${(time * factor).toFixed(decimals)} ${unit}`;
}

/** Writes a place of the timeline as the axis of all of it does. */
export function clockIn({ start, ticks, hz }) {
    const clock = clockOf((start + ticks) / hz, ticks / hz / 100);
    return (at) => clock((start + at) / hz);
}

/** Which part of each of so many equal times interrupts and tasks had; idle tasks do not count. */
export function loadOf({ tracks, ticks }, bins) {
    const step = ticks / bins, load = Array.from({ length: bins }, () => ({ interrupts: 0, tasks: 0 }));
    for (const { slices, interrupt, idle } of tracks) {
        if (idle)
            continue;
        let before = 0;
        load.forEach((each, i) => {
            const busy = slices.busyUntil((i + 1) * step);
            each[interrupt ? "interrupts" : "tasks"] += (busy - before) / step;
            before = busy;
        });
    }
    return load;
}

/** Who ran in a time and for how many ticks, the longest first; `but` is not asked. */
export function meanwhile({ tracks }, from, to, but) {
    return tracks.filter((track) => track !== but).map((track) => ({ track,
        ticks: track.slices.busyUntil(to) - track.slices.busyUntil(from) }))
        .filter(({ ticks }) => ticks > 0).sort((a, b) => b.ticks - a.ticks);
}
