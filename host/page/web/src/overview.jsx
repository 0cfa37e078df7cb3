// SPDX-License-Identifier: MIT
// What an engineer wants first: what ran how long, where, what was lost, what profiling cost.
import { figure, percent, whole } from "./figures.js";
import { nameOfPath } from "./flame_layout.js";
import { Bar, energyOf, Figure, Name, NoFunction, Nothing, percentOf, shareOf, timeOf }
    from "./parts.jsx";
import { address } from "./route.js";

const HOTTEST = 10;

function Tile({ title, children, note, bad }) {
    return (
        <div class={`tile ${bad ? "bad" : ""}`}>
            <h3>{title}</h3>
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

function Tiles({ model }) {
    const { run, units, knows, events } = model;
    const loss = lossOf(model);
    const time = (value) => ({ text: digits(value * units.time.factor) });
    const { profiler_percent: cost, sampling_percent: sampling } = run;
    if (!knows.samples && !knows.timed)
        return (
            <section class="tiles">
                {events.map(([kind, received]) => (
                    <Tile key={kind} title="Counted" note={kind}>{whole(received)}</Tile>))}
                {model.energy && <Energy model={model} />}
                <Tile title="Lost" note={loss.note} bad={loss.bad || model.lost && !model.live}>
                    {loss.big}</Tile>
            </section>);
    return (
        <section class="tiles">
            {knows.time && <Tile title="Ran" note={knows.samples ?
                `${whole(run.samples)} samples` : "from start to end"}>
                <Figure of={time(run.whole)} unit={units.time.name} /></Tile>}
            {!knows.time && <Tile title="Ran" note="at an unknown rate">
                <Figure of={{ text: whole(run.samples) }} unit="samples" /></Tile>}
            <Tile title="In the program" note={run.unfinished ?
                `${time(run.unfinished).text} ${units.time.name} of it in no finished call` :
                "shares are of this"}>
                <Figure of={time(run.program)} unit={units.time.name} /></Tile>
            {model.energy && <Energy model={model} />}
            <Tile title="Profiling cost" note={sampling > 0 ?
                `to sample; ${cost.toFixed(1)} % in its own functions` : knows.samples ?
                    "in its own functions; what sampling took was not measured" :
                    "of the time, in its own functions"}>
                <Figure of={{ text: (sampling > 0 ? sampling : cost).toFixed(1) }} unit="%" />
            </Tile>
            <Tile title="Lost" note={loss.note} bad={loss.bad || model.lost && !model.live}>
                {loss.big}</Tile>
        </section>);
}

function Energy({ model: { energy, units } }) {
    const { joules, error, mean, life, battery } = energy;
    return (
        <Tile title="Energy" note={`${mean} in the mean${
            life ? `; ${battery} mAh last ${life}` : ""}`}>
            <Figure of={figure(joules, error, units.energy)} unit={units.energy.name} /></Tile>);
}

function Tasks({ model }) {
    const { tasks } = model, samples = tasks.some((task) => task.samples > 0);
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
        if (last?.frame.name === frame.name)
            last.times++;
        else
            runs.push({ frame, times: 1 });
    }
    return runs;
}

function Paths({ model }) {
    const { hottest, knows } = model;
    if (hottest.length === 0)
        return null;
    return (
        <section class="paths">
            <h2>Hottest paths <small>{knows.paths ? "measured" : "estimated from the calls"}
            </small></h2>
            <ol class={hottest[0].energy ? "energy" : null}>{hottest.map(
                ({ share, error, energy, frames }, i) => (
                    <li key={i}>
                        <Figure of={percent(share, error)} unit="%" />
                        {energy && <Figure of={energyOf(model, ...energy)}
                            unit={model.units.energy.name} />}
                        <span class="path">{runsOf(frames).map(({ frame, times }, j) => (
                            <span key={j}>
                                {frame.function ?
                                    <a href={address({ view: "flame", at: frame.function.id })}
                                        class="fn">{frame.name}</a> :
                                    <span class="fn faint">{frame.name}</span>}
                                {times > 1 && <i> ×{times}</i>}
                            </span>))}
                        </span>
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
            <div class="pair"><Hottest model={model} />
                <div><Tasks model={model} /><Paths model={model} /></div></div>
            <About model={model} />
        </div>);
}
