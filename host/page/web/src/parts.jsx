// SPDX-License-Identifier: MIT
// What several views show: figures, links, bars.
import { figure, heat, whole } from "./figures.js";
import { sourceOf } from "./model.js";
import { address } from "./route.js";

/** A figure with its error: "12.3 ±0.4 ms". */
export function Figure({ of: { text, error }, unit }) {
    return (
        <span class="figure">
            <b class={text === "0" || text[0] === "<" ? "small" : ""}>{text}</b>
            {error && <i>±{error}</i>}
            {unit && <u>{unit}</u>}
        </span>);
}

/** `error` is in per cent already. */
export function shareOf(model, time, error) {
    const scale = model.units.share;
    return figure(time, error / scale.factor, scale, model.knows.samples ? model.units.none : 0);
}

export function timeOf(model, time, error) {
    return figure(time, error, model.units.time,
        model.knows.time && model.knows.samples ? model.units.none : 0);
}

/** A total's figure: where totals are estimated, their error is not known. */
const estimated = (model, { text, error }) =>
    ({ text, error: model.knows.samples && !model.knows.paths ? "" : error });
export const totalShareOf = (model, time, error) =>
    estimated(model, shareOf(model, time, error));
export const totalTimeOf = (model, time, error) => estimated(model, timeOf(model, time, error));

export const singleOf = (model, ticks) => figure(ticks, 0, model.units.single);
export const percentOf = (model, time) => time * model.units.share.factor;

export function energyOf({ energy, units }, joules, error) {
    return joules > 0 ? figure(joules, error, units.energy) :
        figure(0, 0, { ...units.energy, finest: energy.none_decimals }, energy.none);
}

/** A bar whose length is a share (0 to 100); its colour says how hot the share is. */
export function Bar({ share, of = 100, kind = "" }) {
    const width = Math.min(Math.max(share / of, 0), 1) * 100;
    return (
        <span class={`bar ${kind}`} aria-hidden="true">
            <span style={{ width: `${width}%`, minWidth: width > 0 ? "1px" : 0,
                "--heat": heat(share).toFixed(3) }} />
        </span>);
}

export function fileName(path) {
    return path.slice(path.lastIndexOf("/") + 1);
}

/** Where a function is written. */
export function Place({ file, line }) {
    return file ? <span class="place" title={`${file}:${line}`}>{fileName(file)}:{line}</span>
        : null;
}

/** Links to a function's place in the views that have one. */
export function Links({ model, to, but = "" }) {
    const inlined = to.of === null;
    const views = [
        ["functions", "table", !inlined],
        ["flame", "flame graph", model.has("tree") && (inlined || to.total > 0)],
        ["graph", "call graph", !inlined && model.has("arcs")],
        ["source", "source", sourceOf(model, to)],
        ["timeline", "timeline", !inlined && model.has("timeline") &&
            model.timeline.tracks.some((track) => track.function === to)],
    ];
    return (
        <span class="links">
            {views.map(([view, title, there]) => there && view !== but &&
                <a key={view} href={address({ view, at: to.id })}>{title}</a>)}
        </span>);
}

export function Name({ of }) {
    return (
        <span class={`fn ${of.overhead ? "own" : ""}`} title={of.name}>{of.name}</span>);
}

/** In place of functions, where there are none. */
export function NoFunction({ model, find }) {
    return <Nothing>{find ? `No function is called “${find}”.` :
        `No function was counted${model.live ? " so far" : ""}.`}</Nothing>;
}

/** What all shares of a view are of. */
export function WholeText({ model, bound }) {
    const { run, units, knows } = model;
    if (!knows.samples && !knows.timed)
        return null;
    const { text } = knows.time ? timeOf(model, run.program, 0) : { text: whole(run.program) };
    return (
        <span class="whole">% of the program's {text} {units.time.name}
            {knows.samples && "; ± is one standard error"}
            {knows.samples && bound && "; < a bound of 95 %"}</span>);
}

/** One of several: options are [title, whether it is chosen, where it leads]. */
export function Choice({ label, options }) {
    return (
        <span class="choice" role="group" aria-label={label}>
            {options.map(([title, chosen, to]) => (
                <a key={title} href={address(to)} aria-current={chosen ? "true" : null}>{title}</a>))}
        </span>);
}

export function Nothing({ children }) {
    return <p class="nothing">{children}</p>;
}
