// SPDX-License-Identifier: MIT
// The call graph to walk: a function, who calls it, whom it calls.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { heat, whole } from "./figures.js";
import { List } from "./list.jsx";
import { Bar, Figure, Links, Name, NoFunction, percentOf, Place, shareOf, singleOf, timeOf,
    totalShareOf, totalTimeOf, WholeText } from "./parts.jsx";
import { address, go } from "./route.js";

const ROW = 38, FIRST = 24; // pixels of an arc; arcs shown at first
const CARD_TOP = 12, RIBBONS = 72, THICKEST = 26;

const hasTime = ({ knows }) => knows.samples || knows.timed;

/** What single calls took, and from how many places they were made. */
function singles(model, arc) {
    const sites = arc.sites > 0 ? `from ${arc.sites} ${arc.sites === 1 ? "site" : "sites"}` : "";
    if (arc.timed === 0)
        return sites;
    const [shortest, mean, longest] = ["shortest", "mean", "longest"].map(
        (what) => singleOf(model, arc[what]).text);
    return `${sites}: min ${shortest}, mean ${mean}, max ${longest} ${model.units.single.name}`;
}

function Arc({ model, arc, other }) {
    const share = percentOf(model, arc.time);
    const figures = (
        <>
            {hasTime(model) &&
                <Figure of={totalShareOf(model, arc.time, arc.shareError)} unit="%" />}
            {arc.calls > 0 && <small title={singles(model, arc)}>
                {whole(arc.calls)} {arc.calls === 1 ? "call" : "calls"}
                {arc.sites > 1 && `, ${whole(arc.sites)} sites`}</small>}
        </>);
    return (
        <li>
            <span class="who">
                {other ? <a href={address({ view: "graph", at: other.id })}>
                    <Name of={other} /></a> :
                    <span class="faint">{arc.interrupt ? "<interrupt>" : "[unknown]"}</span>}
            </span>
            <span class="what">{figures}
                {hasTime(model) && <Bar share={share} />}</span>
        </li>);
}

function Arcs({ model, arcs, end, title, empty, shown, setShown }) {
    return (
        <section class={`arcs ${end}`}>
            <h2>{title}{arcs.length > 0 && <small>{whole(arcs.length)}</small>}</h2>
            {arcs.length === 0 && <p class="nothing">{empty}</p>}
            <ul>{arcs.slice(0, shown).map((arc, i) =>
                <Arc key={i} model={model} arc={arc} other={arc[end]} />)}</ul>
            {arcs.length > shown && <button type="button" onClick={() => setShown(arcs.length)}>
                {whole(arcs.length - shown)} more</button>}
        </section>);
}

/** Bands from a list's rows to the card, as thick as their time. */
function Ribbons({ model, arcs, left, height, count }) {
    const drawn = arcs.slice(0, count).filter(({ time }) => time > 0);
    const sum = drawn.reduce((all, { time }) => all + time, 0);
    const total = Math.min(96, height - 2 * CARD_TOP);
    let at = CARD_TOP + 8;
    const bands = drawn.map((arc) => {
        const thick = Math.max(1.2, total * arc.time / sum);
        const row = arcs.indexOf(arc) * ROW + ROW / 2, end = Math.min(thick, THICKEST);
        const band = { arc, card: [at, at + thick], row: [row - end / 2, row + end / 2] };
        at += thick + 1;
        return band;
    });
    const [from, to] = left ? ["row", "card"] : ["card", "row"], middle = RIBBONS / 2;
    return (
        <svg class="ribbons" width={RIBBONS} height={height} aria-hidden="true">
            {bands.map((band, i) => (
                <path key={i} style={{ "--heat": heat(percentOf(model, band.arc.time)).toFixed(3) }}
                    d={`M0 ${band[from][0]}C${middle} ${band[from][0]} ${middle} ${band[to][0]} ` +
                        `${RIBBONS} ${band[to][0]}L${RIBBONS} ${band[to][1]}C${middle} ` +
                        `${band[to][1]} ${middle} ${band[from][1]} 0 ${band[from][1]}Z`} />))}
        </svg>);
}

function Row({ title, children }) {
    return <div><dt>{title}</dt><dd>{children}</dd></div>;
}

function Card({ model, of }) {
    const { knows, units } = model, sampled = knows.samples;
    const timed = hasTime(model) && !of.overhead;
    return (
        <section class="card" aria-live="polite">
            <h2><Name of={of} /></h2>
            <p><Place {...of} />{of.overhead && <em class="tag">profiler</em>}
                {of.cycle > 0 && <em class="tag">cycle {of.cycle}</em>}</p>
            <dl>
                {timed && <Row title="self">
                    <Figure of={shareOf(model, of.self, of.share_error)} unit="%" />
                    <Figure of={timeOf(model, of.self, of.error)} unit={units.time.name} /></Row>}
                {timed && <Row title={sampled && !knows.paths ? "total, est." : "total"}>
                    <Figure of={totalShareOf(model, of.total, of.total_share_error)} unit="%" />
                    <Figure of={totalTimeOf(model, of.total, of.total_error)}
                        unit={units.time.name} />
                </Row>}
                {knows.calls && <Row title="calls">{whole(of.calls)}
                    {of.recursive > 0 && ` and ${whole(of.recursive)} of itself`}</Row>}
                {of.timed > 0 && <Row title="a call">
                    {["shortest", "mean", "longest"].map((what, i) => (
                        <span key={what}>{i > 0 && " · "}{singleOf(model, of[what]).text}</span>))}
                    {` ${units.single.name}`}</Row>}
                {of.p99 !== null && <Row title="p50 · p99">
                    {singleOf(model, of.p50).text} · {singleOf(model, of.p99).text}
                    {` ${units.single.name}`}</Row>}
            </dl>
            <Links model={model} to={of} but="graph" />
        </section>);
}

function Walk({ model, of }) {
    const [shown, setShown] = useState({ id: null, callers: FIRST, callees: FIRST });
    const now = shown.id === of.id ? shown : { id: of.id, callers: FIRST, callees: FIRST };
    const callers = useMemo(() => model.arcs.callersOf(of), [of]);
    const callees = useMemo(() => model.arcs.calleesOf(of), [of]);
    const rows = Math.max(Math.min(callers.length, now.callers),
        Math.min(callees.length, now.callees), 6);
    const top = callers.length === 0 && !model.knows.paths ? "No call of it was counted." :
        "Nothing calls it.";
    return (
        <div class="walk">
            <Arcs model={model} arcs={callers} end="caller" title="Callers" empty={top}
                shown={now.callers} setShown={(callers) => setShown({ ...now, callers })} />
            <Ribbons model={model} arcs={callers} left height={rows * ROW} count={now.callers} />
            <Card model={model} of={of} />
            <Ribbons model={model} arcs={callees} height={rows * ROW} count={now.callees} />
            <Arcs model={model} arcs={callees} end="callee" title="Callees"
                empty="It calls nothing." shown={now.callees}
                setShown={(callees) => setShown({ ...now, callees })} />
        </div>);
}

/** Moves the focus among the links of a list, and from list to list. */
function step(event, walk) {
    const lists = [".arcs.caller", ".arcs.callee"].map((list) =>
        [...walk.querySelectorAll(`${list} a`)]);
    const to = { ArrowLeft: 0, ArrowRight: 1 }[event.key];
    const list = lists.find((links) => links.includes(document.activeElement));
    let next;
    if (event.altKey || event.ctrlKey || event.metaKey)
        return;
    if (to !== undefined)
        next = lists[to][0];
    else if (list && (event.key === "ArrowDown" || event.key === "ArrowUp"))
        next = list[list.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
    else if (event.key === "Escape")
        next = document.querySelector("[data-keys]");
    if (next) {
        event.preventDefault();
        next.focus();
    }
}

export function Graph({ model, ...rest }) {
    return model.functions.length > 0 ? <Walked model={model} {...rest} /> :
        <NoFunction model={model} />;
}

/** The function with the most time for itself, without it the one with the most calls. */
function hottestOf(functions) {
    const own = functions.filter(({ overhead }) => !overhead);
    return (own.length > 0 ? own : functions).reduce((most, each) =>
        (each.self > most.self || each.self === most.self && each.calls > most.calls ? each : most));
}

function Walked({ model, route, current }) {
    const items = useMemo(() => [...model.functions].sort((a, b) =>
        b.total - a.total || b.self - a.self || b.calls - a.calls), [model]);
    const first = useMemo(() => hottestOf(items), [items]);
    const of = current && current.of !== null ? current : first;
    const walk = useRef(null), at = useRef(of);
    const keys = (event) => {
        const view = { f: "flame", s: "source" }[event.key];
        if (view)
            go({ view, at: of.id });
        else
            step(event, walk.current);
    };
    useEffect(() => { // after a key followed a link, the focus goes on from there
        if (at.current !== of && document.activeElement === document.body)
            (walk.current.querySelector(".arcs.callee a") ??
                walk.current.querySelector(".arcs.caller a"))?.focus({ preventScroll: true });
        at.current = of;
    }, [of]);
    return (
        <div class="beside">
            <List items={items} current={of} route={route} label="functions" onKey={keys}
                shareOf={(each) => (each.overhead ? 0 : percentOf(model, each.total))} />
            <div class="scroll" ref={walk} onKeyDown={(event) => keys(event)}>
                {current?.of === null && <p class="count">{current.name} is inlined wherever
                    it is called: its calls are its callers'.</p>}
                <p class="count"><WholeText model={model} /></p>
                <Walk model={model} of={of} />
            </div>
        </div>);
}
