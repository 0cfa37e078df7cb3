// SPDX-License-Identifier: MIT
// What a timeline adds up to: a row for each task and interrupt, and for each mark of the program.
import { useMemo } from "preact/hooks";
import { duration, whole } from "./figures.js";
import { nameOfPath } from "./flame_layout.js";
import { Bar, Name } from "./parts.jsx";
import { address } from "./route.js";
import { instanceOf, sumsIn } from "./timeline_range.js";

const WIDE = 108, HIGH = 20;

function binsOf(bins) {
    return Array.from({ length: bins.length / 3 }, (_, i) => bins.slice(3 * i, 3 * i + 3));
}

/** From the shortest to the longest time of all rows, so that rows can be compared. */
function rangeOf(rows, key) {
    const ends = rows.flatMap((row) => binsOf(row[key]).flatMap(([low, high]) => [low || high / 2,
        high]));
    return ends.length > 0 ? [Math.min(...ends), Math.max(...ends)] : null;
}

/** How many times were how long, on a logarithmic scale. */
function Histogram({ bins, range, what }) {
    const rows = binsOf(bins), most = Math.max(...rows.map(([, , count]) => count));
    if (rows.length === 0)
        return null;
    const [least, longest] = range.map(Math.log);
    const at = (time) => WIDE * (Math.log(time) - least) / (longest - least || 1);
    return (
        <svg class="histogram" width={WIDE} height={HIGH} role="img"
            aria-label={`${what}, from ${duration(rows[0][0])} to ${duration(rows.at(-1)[1])}`}>
            <path class="ground" d={`M0 ${HIGH - 0.5}H${WIDE}`} />
            {rows.map(([low, high, count], i) => {
                const left = at(low || high / 2), tall = Math.max(2, (HIGH - 2) *
                    Math.sqrt(count / most));
                return (
                    <rect key={i} x={left} y={HIGH - tall} height={tall}
                        width={Math.max(at(high) - left - 0.6, 1.4)}>
                        <title>{`${duration(low)} to ${duration(high)}: ${whole(count)}`}</title>
                    </rect>);
            })}
        </svg>);
}

/** How long something took, with a link to where it did. */
function Time({ value, place }) {
    const { timeline, slices, lane, kind, sight } = place;
    if (value === null)
        return null;
    const i = instanceOf(slices, value, timeline.hz, sight);
    if (i < 0)
        return duration(value);
    const { hz, start } = timeline, [from, to] = [slices.from[i], slices.to[i]];
    const room = Math.max(to - from, 8) * 0.75, said = (at) => ((start + at) / hz).toFixed(9);
    return (
        <a href={address({ view: "timeline", from: said(Math.max(from - room, 0)),
            to: said(Math.min(to + room, timeline.ticks)), pick: `${lane} ${kind} ${from}` })}
            title="where it was">{duration(value)}</a>);
}

function Spread({ of, keys: [half, most, all], bins, range, what, place }) {
    return (
        <>
            <td class="drop2">{of[half] !== null && duration(of[half])}</td>
            <td class="drop1"><Time value={of[most]} place={place} /></td>
            <td><Time value={of[all]} place={place} /></td>
            <td class="drop1"><Histogram bins={of[bins]} range={range} what={what} /></td>
        </>);
}

function SpreadHead({ title, range }) {
    return (
        <>
            <th class="drop2" scope="col">{title} p50</th><th class="drop1" scope="col">p99</th>
            <th scope="col"><span class="alone">{title} </span>max</th>
            <th class="drop1 axis" scope="col" title="the longer, the further right; twice as long is
                equally far everywhere; the higher, the more, by the square root">
                {range && <><span>{duration(range[0])}</span><span>{duration(range[1])}</span></>}
            </th>
        </>);
}

function Who({ model, track }) {
    const root = model.has("tree") &&
        model.tree.levels[0].some(({ frame }) => frame.name === track.name);
    if (track.function)
        return <a class="fn" href={address({ view: "functions", at: track.function.id })}>
            {track.name}</a>;
    const zoom = nameOfPath([track.name]);
    return root ? <a class="fn" href={address({ view: "flame", zoom })}>{track.name}</a>
        : <Name of={track} />;
}

function Tracks({ model, tracks, timeline, sight }) {
    const waits = tracks.some((track) => track.waits > 0);
    const most = Math.max(...tracks.map(({ load }) => load));
    const [ran, waited] = ["bins", "wait_bins"].map((key) => rangeOf(tracks, key));
    const place = (track, kind) => ({ timeline, sight, kind,
        lane: timeline.lanes.findIndex(({ of }) => of.index === track.index && of.slices ===
            track.slices), slices: kind === "wait" ? track.waited : track.stretched });
    return (
        <table class="sums">
            <thead><tr>
                <th class="text" scope="col">task or interrupt</th>
                <th scope="col">load</th><td class="drop1" /><th scope="col">ran</th>
                <th class="drop0" scope="col">times</th>
                <SpreadHead title="stretch" range={ran} />
                {waits && <SpreadHead title="wait" range={waited} />}
            </tr></thead>
            <tbody>{tracks.map((track) => (
                <tr key={track.index} class={track.idle ? "idle" : null}>
                    <th class="text" scope="row"><Who model={model} track={track} />
                        {track.idle && <em class="tag">idle</em>}</th>
                    <td>{track.load.toFixed(2)} <u>%</u></td>
                    <td class="drop1"><Bar share={track.load} of={most}
                        kind={track.idle ? "idle" : ""} /></td>
                    <td>{duration(track.ran)}</td>
                    <td class="drop0">{track.times > 0 && whole(track.times)}</td>
                    <Spread of={track} keys={["p50", "p99", "max"]} bins="bins" range={ran}
                        what="stretches" place={place(track, "ran")} />
                    {waits && <Spread of={track} keys={["wait_p50", "wait_p99", "wait_max"]}
                        bins="wait_bins" range={waited} what="waits" place={place(track, "wait")} />}
                </tr>))}</tbody>
        </table>);
}

function Marks({ marks, timeline, sight }) {
    const range = rangeOf(marks, "bins"), values = marks.some(({ times }) => times > 0);
    const number = (value) => (value === null ? "" : whole(value));
    const place = (mark) => ({ timeline, sight, kind: "span", slices: mark.slices,
        lane: timeline.lanes.findIndex(({ slices }) => slices === mark.slices) });
    return (
        <table class="sums">
            <thead><tr>
                <th class="text" scope="col">mark</th><th scope="col">times</th>
                {range && <SpreadHead title="span" range={range} />}
                {values && ["last", "min", "max"].map((title) =>
                    <th key={title} scope="col">{title}</th>)}
            </tr></thead>
            <tbody>{marks.map((mark, i) => (
                <tr key={i}>
                    <th class="text" scope="row"><Name of={mark} /></th>
                    <td>{whole(mark.times || mark.spans)}</td>
                    {range && <Spread of={mark} keys={["p50", "p99", "max"]} bins="bins"
                        range={range} what="spans" place={place(mark)} />}
                    {values && <><td>{number(mark.last)}</td><td>{number(mark.least)}</td>
                        <td>{number(mark.most)}</td></>}
                </tr>))}</tbody>
        </table>);
}

/** The sums of what the address says is in sight; of all of it as host/page/timeline.c has them. */
export function Sums({ model, timeline, sight }) {
    const { from, to } = sight, all = from === 0 && to === timeline.ticks;
    const { tracks, marks } = useMemo(() => (all ? timeline : sumsIn(timeline, from, to)),
        [timeline, from, to]);
    return (
        <div class="scroll sums" tabIndex={0} role="region" aria-label="what it adds up to">
            {!all && <p class="note">In sight, {duration((to - from) / timeline.hz)}: loads are of
                it, and what is cut by its ends is not counted.</p>}
            <Tracks {...{ model, tracks, timeline, sight }} />
            {marks.length > 0 && <Marks {...{ marks, timeline, sight }} />}
        </div>);
}
