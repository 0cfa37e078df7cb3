// SPDX-License-Identifier: MIT
// What a timeline adds up to: a row for each task and interrupt, and for each mark of the program.
import { duration, whole } from "./figures.js";
import { nameOfPath } from "./flame_layout.js";
import { Bar, Name } from "./parts.jsx";
import { address } from "./route.js";

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

const time = (value) => (value === null ? "" : duration(value));

function Spread({ of, keys: [half, most, all], bins, range, what }) {
    return (
        <>
            <td class="drop2">{time(of[half])}</td>
            <td class="drop1">{time(of[most])}</td>
            <td>{time(of[all])}</td>
            <td class="drop1"><Histogram bins={of[bins]} range={range} what={what} /></td>
        </>);
}

function SpreadHead({ title }) {
    return (
        <>
            <th class="drop2">{title} p50</th><th class="drop1">p99</th><th>
                <span class="alone">{title} </span>max</th>
            <th class="drop1 text"><small title="the longer, the further right; twice as long is
                equally far everywhere; the higher, the more, by the square root">
                how long</small></th>
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

function Tracks({ model, tracks }) {
    const waits = tracks.some((track) => track.waits > 0);
    const most = Math.max(...tracks.map(({ load }) => load));
    const [ran, waited] = ["bins", "wait_bins"].map((key) => rangeOf(tracks, key));
    return (
        <table class="sums">
            <thead><tr>
                <th>load</th><th class="drop1" /><th>ran</th><th>times</th>
                <SpreadHead title="stretch" />{waits && <SpreadHead title="wait" />}
                <th class="text">task or interrupt</th>
            </tr></thead>
            <tbody>{tracks.map((track) => (
                <tr key={track.index} class={track.idle ? "idle" : null}>
                    <td>{track.load.toFixed(2)} <u>%</u></td>
                    <td class="drop1"><Bar share={track.load} of={most}
                        kind={track.idle ? "idle" : ""} /></td>
                    <td>{duration(track.ran)}</td>
                    <td>{track.times > 0 && whole(track.times)}</td>
                    <Spread of={track} keys={["p50", "p99", "max"]} bins="bins" range={ran}
                        what="stretches" />
                    {waits && <Spread of={track} keys={["wait_p50", "wait_p99", "wait_max"]}
                        bins="wait_bins" range={waited} what="waits" />}
                    <td class="text"><Who model={model} track={track} />
                        {track.idle && <em class="tag">idle</em>}</td>
                </tr>))}</tbody>
        </table>);
}

function Marks({ marks }) {
    const range = rangeOf(marks, "bins"), values = marks.some(({ times }) => times > 0);
    const number = (value) => (value === null ? "" : whole(value));
    return (
        <table class="sums">
            <thead><tr>
                <th>times</th>{range && <SpreadHead title="span" />}
                {values && <><th>last</th><th>min</th><th>max</th></>}
                <th class="text">mark</th>
            </tr></thead>
            <tbody>{marks.map((mark, i) => (
                <tr key={i}>
                    <td>{whole(mark.times || mark.spans)}</td>
                    {range && <Spread of={mark} keys={["p50", "p99", "max"]} bins="bins"
                        range={range} what="spans" />}
                    {values && <><td>{number(mark.last)}</td><td>{number(mark.least)}</td>
                        <td>{number(mark.most)}</td></>}
                    <td class="text"><Name of={mark} /></td>
                </tr>))}</tbody>
        </table>);
}

export function Sums({ model, timeline }) {
    return (
        <div class="scroll sums" tabIndex={0} aria-label="what it adds up to">
            <Tracks model={model} tracks={timeline.tracks} />
            {timeline.marks.length > 0 && <Marks marks={timeline.marks} />}
        </div>);
}
