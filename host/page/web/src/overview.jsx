// SPDX-License-Identifier: MIT
// What an engineer wants first: what ran how long, where, what was lost, what profiling cost.
import { duration, figure, percent, whole } from "./figures.js";
import { nameOfPath } from "./flame_layout.js";
import { LoadOverTime, SmallFlame } from "./miniature.jsx";
import { Bar, energyOf, Figure, Name, NoFunction, Nothing, percentOf, shareOf, timeOf }
    from "./parts.jsx";
import { address } from "./route.js";

const HOTTEST = 10;
const WARNINGS = new Set(["advice", "heavy", "late", "mostly", "open"]); // lines of the summary

function Tile({ title, children, note, bad }) {
    return (
        <div class={`tile ${bad ? "bad" : ""}`}>
            <h2>{title}</h2>
            <p class="big">{children}</p>
            <p class="note">{note}</p>
        </div>);
}

/** A number with the decimals that four digits take, three at most. */
function digits(number) {
    return number.toFixed(Math.min(3, Math.max(0, 3 - Math.floor(Math.log10(number || 1)))));
}

function lossOf({ events, live, lost: any }) {
    const ofAll = ` received${events.some((event) => event.length > 3) ? ", of all tasks" : ""}`;
    const came = events.map(([kind, count, , all]) => `${whole(all ?? count)} ${kind}`).join(", ");
    const known = events.every(([, , lost]) => lost !== null);
    const lost = events.filter(([, , count]) => count > 0);
    if (!known || events.length === 0 && any)
        return live ? { big: "…", note: "the firmware tells that now and then" } :
            { big: "unknown", note: "the capture does not say", bad: true };
    if (lost.length === 0)
        return { big: "nothing", note: came ? came + ofAll : "nothing was received" };
    return { big: lost.map(([kind, , count]) => `${whole(count)} ${kind}`).join(", "), bad: true,
        note: came + ofAll };
}

function Lost({ model }) {
    const loss = lossOf(model);
    return (
        <Tile title="Lost" note={loss.note} bad={loss.bad || model.lost && !model.live}>
            {loss.big}</Tile>);
}

/** The time of which all shares are. */
function Program({ model: { run, units, knows } }) {
    const time = (value) => digits(value * units.time.factor);
    if (!knows.time)
        return (
            <Tile title="Program" note="at an unknown rate; all shares are of these">
                <Figure of={{ text: whole(run.samples) }} unit="samples" /></Tile>);
    const inNone = run.unfinished ? `, ${time(run.unfinished)} of it in no finished call` : "";
    return (
        <Tile title="Program's time" note={`all shares are of this${inNone}; ${
            time(run.whole)} ${units.time.name} with the profiler's${
            knows.samples ? `, in ${whole(run.samples)} samples` : ""}`}>
            <Figure of={{ text: time(run.program) }} unit={units.time.name} /></Tile>);
}

function Load({ model: { tasks, parts, knows } }) {
    const { share, error } = parts?.idle ?? {};
    if (!knows.samples || !parts || !tasks.some(({ idle }) => idle))
        return null;
    const { text } = percent(share, error);
    return (
        <Tile title="Load" note={`${text} % is left: idle tasks have it`}>
            <Figure of={percent(100 - share, error)} unit="%" /></Tile>);
}

function Cost({ model: { run, knows } }) {
    const { cost_percent: cost, profiler_percent: own, sampling_percent: sampling } = run;
    return (
        <Tile title="Profiling cost" note={sampling > 0 ?
            `of all time: ${sampling.toFixed(1)} to sample, ${own.toFixed(1)} in its functions` :
            knows.samples ? "of all time, in its functions; what sampling took was not measured" :
                "of all time, in its functions"}>
            <Figure of={{ text: cost.toFixed(1) }} unit="%" /></Tile>);
}

function Tiles({ model }) {
    const { knows, events } = model;
    if (!knows.samples && !knows.timed)
        return (
            <section class="tiles">
                {events.map(([kind, received]) => (
                    <Tile key={kind} title="Counted" note={kind}>{whole(received)}</Tile>))}
                {model.energy && <Energy model={model} />}
                <Lost model={model} />
            </section>);
    return (
        <section class="tiles">
            <Program model={model} />
            <Load model={model} />
            {model.energy && <Energy model={model} />}
            <Cost model={model} />
            <Lost model={model} />
        </section>);
}

/** What is wrong in the firmware's set-up, in the words of the report. */
function Advice({ summary }) {
    const found = summary.filter(([label]) => WARNINGS.has(label));
    return found.length > 0 && (
        <ul class="advice">{found.map(([label, text]) => (
            <li key={text}><b>{label === "advice" ? "Advice" : "Mind"}</b> {text}</li>))}</ul>);
}

/** What ran, in one look. */
function Ran({ model }) {
    const { parts, knows } = model, load = model.has("timeline") && model.timeline;
    if (!parts)
        return null;
    return (
        <div class={load ? "pair" : null}>
            <section>
                <h2>What ran <small>{knows.paths ? "the flame graph's large frames" :
                    "estimated from the calls"}</small></h2>
                <SmallFlame tree={parts.large} />
            </section>
            {load && <section>
                <h2>Load over time <small>{load.load === null ? "" :
                    `${load.load.toFixed(1)} % of ${duration(load.known)}, by the task switches`}
                </small></h2>
                <LoadOverTime timeline={load} />
            </section>}
        </div>);
}

function Energy({ model: { energy, units } }) {
    const { joules, error, mean, life, battery } = energy;
    return (
        <Tile title="Energy" note={`${mean} in the mean${
            life ? `; ${battery} mAh last ${life}` : ""}`}>
            <Figure of={figure(joules, error, units.energy)} unit={units.energy.name} /></Tile>);
}

function Tasks({ model }) {
    const samples = model.tasks.some((task) => task.samples > 0);
    const tasks = model.tasks.map((task) => {
        const of = samples && model.parts?.tasks.get(task.name);
        const [share, error] = of ?? [null, null]; // it has samples, but they are the profiler's
        return samples ? { ...task, share, error } : task;
    });
    const most = Math.max(...tasks.map(({ share }) => share ?? 0));
    if (tasks.length === 0)
        return null;
    return (
        <section>
            <h2>Tasks and interrupts</h2>
            <ul class={`ranks ${model.energy ? "energy" : ""}`}>{tasks.map(
                ({ name, share, error, idle, calls, runs, ...task }, i) => (
                    <li key={i} class={idle ? "idle" : null}>
                        <Figure of={share === null ? { text: "–" } : percent(share, error)}
                            unit={share === null ? "" : "%"} />
                        <Bar share={share ?? 0} of={most || 1} kind={idle ? "idle" : ""} />
                        {samples && task.samples > 0 && model.has("tree") ?
                            <a class="fn" href={address({ view: "flame",
                                zoom: nameOfPath([name]) })}>{name}</a> :
                            <span class="fn">{name}</span>}
                        {idle && <em class="tag">idle</em>}
                        <small>{runs > 0 ? `ran ${whole(runs)} times` :
                            calls > 0 ? `${whole(calls)} ${calls === 1 ? "call" : "calls"}` : ""}</small>
                        {model.energy && <Figure unit={model.units.energy.name}
                            of={energyOf(model, task.joules, task.joules_error)} />}
                    </li>))}</ul>
        </section>);
}

function Hottest({ model }) {
    const hot = model.functions.filter(({ self, overhead }) => self > 0 && !overhead)
        .sort((a, b) => b.self - a.self).slice(0, HOTTEST);
    const most = Math.max(...hot.map(({ self }) => percentOf(model, self)));
    const none = model.functions.length === 0;
    return (
        <section>
            <h2>Hottest functions <small>self time</small></h2>
            {none && <NoFunction model={model} />}
            {!none && hot.length === 0 &&
                <Nothing>No time was measured: calls were only counted.</Nothing>}
            <ol class="ranks">{hot.map((each) => (
                <li key={each.index}>
                    <Figure of={shareOf(model, each.self, each.share_error)} unit="%" />
                    <Bar share={percentOf(model, each.self)} of={most} />
                    <a href={address({ view: "graph", at: each.id })}><Name of={each} /></a>
                    <small><Figure of={timeOf(model, each.self, each.error)}
                        unit={model.units.time.name} /></small>
                </li>))}
            </ol>
            {!none && <p><a href="#functions">All {whole(model.functions.length)} functions</a></p>}
        </section>);
}

/** Frames one after the other, repeated ones once: "fib ×12". */
function runsOf(frames) {
    const runs = [];
    for (const frame of frames) {
        const last = runs.at(-1);
        if (last?.frame.name === frame.name && last.frame.function === frame.function)
            last.times++;
        else
            runs.push({ frame, times: 1 });
    }
    return runs;
}

const Path = ({ frames }) => (
    <span class="path">{runsOf(frames).map(({ frame, times }, i) => (
        <span key={i}>
            {frame.function ?
                <a href={address({ view: "flame", at: frame.function.id })}
                    class="fn">{frame.name}</a> :
                <span class="fn faint">{frame.name}</span>}
            {times > 1 && <i> ×{times}</i>}
        </span>))}
    </span>);

/** How many frames all paths begin with; the last frame of each is its own. */
function rootOf(paths) {
    const most = paths.length > 1 ? Math.min(...paths.map(({ frames }) => frames.length)) - 1 : 0;
    let root = 0;
    while (root < most && paths.every(({ frames }) => frames[root].name ===
        paths[0].frames[root].name))
        root++;
    return root > 1 ? root : 0;
}

function Paths({ model }) {
    const { hottest, knows } = model, root = rootOf(hottest);
    if (hottest.length === 0)
        return null;
    return (
        <section class="paths">
            <h2>Hottest paths <small>{knows.paths ? "measured" : "estimated from the calls"}
            </small></h2>
            {root > 0 && <p class="common">all below <Path frames={hottest[0].frames.slice(0, root)} />
            </p>}
            <ol class={hottest[0].energy ? "energy" : null}>{hottest.map(
                ({ share, error, energy, frames }, i) => (
                    <li key={i}>
                        <Figure of={percent(share, error)} unit="%" />
                        {energy && <Figure of={energyOf(model, ...energy)}
                            unit={model.units.energy.name} />}
                        <Path frames={frames.slice(root)} />
                    </li>))}</ol>
        </section>);
}

function About({ model }) {
    return (
        <section class="about">
            <h2>This profile</h2>
            <dl>{model.summary.map(([label, text], i) => (
                <div key={i}><dt>{label}</dt><dd>{text}</dd></div>))}</dl>
        </section>);
}

export function Overview({ model }) {
    return (
        <div class="scroll" tabIndex={0} data-keys>
            <Tiles model={model} />
            <Advice summary={model.summary} />
            <Ran model={model} />
            <div class="pair"><div><Paths model={model} /><Tasks model={model} /></div>
                <Hottest model={model} /></div>
            <About model={model} />
        </div>);
}
