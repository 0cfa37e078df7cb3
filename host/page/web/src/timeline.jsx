// SPDX-License-Identifier: MIT
// What ran when: a lane for each task, interrupt and mark of the program, and what that adds up to.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDrawing } from "./canvas.js";
import { duration, whole } from "./figures.js";
import { address, go } from "./route.js";
import { AXIS, drawTimeline, LANE } from "./timeline_draw.js";
import { meanwhile } from "./timeline_layout.js";
import { Sums } from "./timeline_sums.jsx";

const CLOSEST = 16; // ticks in sight, at least
const REACH = 4, DRAGGED = 3; // pixels: how near to a slice means it; what makes a click a drag
const QUIET_MS = 200; // the address follows when nothing has moved for so long
const ZOOM = 1.5;

/** What is in sight by the address, in ticks; the address has seconds. */
function sightOf({ from, to }, { start, ticks, hz }) {
    const [first, last] = [from, to].map((text) => Number(text) * hz - start);
    return from && to && last > first && first < ticks && last > 0 ?
        bounded(first, last, ticks) : { from: 0, to: ticks };
}

function bounded(from, to, ticks) {
    const span = Math.min(Math.max(to - from, Math.min(CLOSEST, ticks)), ticks);
    const first = Math.min(Math.max(from, 0), ticks - span);
    return { from: first, to: first + span };
}

/** What is in sight, and show(from, to), which the address follows. */
function useSight(timeline, route) {
    const { ticks, start, hz } = timeline;
    const [own, set] = useState(null), timer = useRef(0);
    const sight = own?.all ? { from: 0, to: ticks } : own ?? sightOf(route, timeline);
    useEffect(() => set(null), [route.from, route.to]);
    useEffect(() => () => clearTimeout(timer.current), []);
    const show = (from, to) => {
        const next = bounded(from, to, ticks), all = next.to - next.from >= ticks;
        const said = (time) => (all ? "" : ((start + time) / hz).toFixed(9).replace(/0+$/, ""));
        set(all ? { all } : next); // the end of a live page moves on
        clearTimeout(timer.current);
        timer.current = setTimeout(() =>
            go({ ...route, from: said(next.from), to: said(next.to), pick: "" }, true), QUIET_MS);
    };
    return { ...sight, show,
        zoom: (times, at = (sight.from + sight.to) / 2) =>
            show(at - (at - sight.from) / times, at + (sight.to - at) / times),
        pan: (by) => show(...pannedBy(by * (sight.to - sight.from), sight, ticks)) };
}

function pannedBy(by, { from, to }, ticks) {
    const moved = Math.min(Math.max(by, -from), ticks - to);
    return [from + moved, to + moved];
}

const at = (timeline, time) => duration((timeline.start + time) / timeline.hz);

const SHOWN = 4;

/** Who ran while something waited or took its time. */
function Meanwhile({ timeline, from, to, but }) {
    const ran = meanwhile(timeline, from, to, but);
    return ran.length > 0 && (
        <span class="meanwhile">meanwhile {ran.slice(0, SHOWN).map(({ track, ticks }, i) => (
            <span key={track.index}>{i > 0 && ", "}<span class="fn">{track.name}</span> <b>{
                duration(ticks / timeline.hz)}</b></span>))}
        {ran.length > SHOWN && `, ${ran.length - SHOWN} more`}</span>);
}

/** The slice that the address names: "LANE KIND TICKS". */
function pickedIn(timeline, pick) {
    const [lane, kind, from] = (pick ?? "").split(" "), { of, slices } = timeline.lanes[lane] ?? {};
    const all = { ran: of?.stretched, wait: of?.waited, span: slices }[kind];
    const index = all?.after(Number(from)) ?? -1;
    return index >= 0 && all.from[index] === Number(from) ?
        { lane: Number(lane), slices: all, index } : null;
}

function Slice({ timeline, cursor }) {
    const lane = timeline.lanes[cursor.lane], { slices, index } = cursor;
    const value = slices === lane.values, wait = slices === lane.waits;
    const stretch = slices === lane.of.stretched;
    const length = (stretch ? slices.lengthOf(index) : slices.to[index] - slices.from[index]) /
        timeline.hz;
    return (
        <>
            <span class="fn">{lane.name}</span>
            {value ? <span><b>{whole(slices.value[index])}</b></span> :
                <span>{wait ? "waited" : lane.kind === "mark" ? "took" :
                    lane.kind === "unknown" ? "for" : stretch ? "a stretch of" : "ran"} <b>{duration(length)}</b></span>}
            <span>at {at(timeline, slices.from[index])}</span>
            {!value && lane.kind !== "unknown" && <Meanwhile timeline={timeline}
                from={slices.from[index]} to={slices.to[index]} but={wait ? null : lane.of} />}
            {lane.of.function && <span class="links">
                <a href={address({ view: "functions", at: lane.of.function.id })}>table</a>
            </span>}
        </>);
}

function Summary({ timeline, sight }) {
    const { load, known, unknown, gaps, hz, ticks, masked } = timeline;
    const zoomed = sight.to - sight.from < ticks;
    return (
        <>
            {zoomed && <span><b>{duration((sight.to - sight.from) / hz)}</b> from {
                at(timeline, sight.from)} on, of {duration(ticks / hz)}</span>}
            {!zoomed && <span>{load === null ? "" : <><b>{load.toFixed(1)} %</b> load of </>}
                <b>{duration(known)}</b></span>}
            {gaps > 0 && <span class="bad">{duration(unknown)} not known, in {whole(gaps)} {
                gaps === 1 ? "gap" : "gaps"}</span>}
            {masked && <span>interrupts masked for up to {duration(masked)}</span>}
        </>);
}

/** The slice at a place of the picture; null: there is none. */
function found(timeline, lane, time, reach) {
    const { slices, values, waits } = timeline.lanes[lane] ?? {};
    for (const list of [values, slices, waits]) {
        const index = list?.at(time, list === values ? reach : 0) ?? -1;
        if (index >= 0)
            return { lane, slices: list, index };
    }
    const near = slices?.at(time, reach) ?? -1;
    return near >= 0 ? { lane, slices, index: near } : null;
}

/** The slice beside the one at the cursor, or the first of a lane in sight. */
function besides(timeline, cursor, lane, by, sight) {
    const { slices, values } = timeline.lanes[lane];
    const own = cursor?.lane === lane ? cursor.slices : slices.count > 0 ? slices : values;
    if (!own || own.count === 0)
        return null;
    const index = cursor?.lane === lane ? cursor.index + by : own.after(sight.from);
    return { lane, slices: own, index: Math.min(Math.max(index, 0), own.count - 1) };
}

function Names({ lanes, lane, choose }) {
    return (
        <ul class="names">
            {lanes.map(({ name, kind, of }, i) => (
                <li key={i} class={`${kind} ${i === lane ? "chosen" : ""}`}
                    onClick={() => choose(i)} title={name}>
                    {of.function ? <a tabIndex={-1}
                        href={address({ view: "functions", at: of.function.id })}>{name}</a> : name}
                </li>))}
        </ul>);
}

function Picture({ timeline, picked, sight, lane, setLane, cursor, setCursor }) {
    const box = useRef(null), canvas = useRef(null), drag = useRef(null);
    const [hover, setHover] = useState(null);
    const { lanes, ticks } = timeline, span = sight.to - sight.from;
    const scene = { timeline, from: sight.from, to: sight.to, cursor, hover, lane };
    useDrawing(box, () => drawTimeline(canvas.current, box.current, scene));

    const place = (event) => {
        const area = canvas.current.getBoundingClientRect(), x = event.clientX - area.left;
        const y = event.clientY - area.top - AXIS;
        return { x, time: sight.from + x / area.width * span, width: area.width,
            lane: y < 0 ? -1 : Math.floor((y + box.current.scrollTop) / LANE) };
    };
    const move = (event) => {
        const { x, time, width, lane: over } = place(event);
        if (drag.current) {
            drag.current.far ||= Math.abs(x - drag.current.x) > DRAGGED;
            const { from, to, x: begun } = drag.current;
            if (drag.current.far)
                sight.show(...pannedBy((begun - x) / width * (to - from), { from, to }, ticks));
            return;
        }
        setHover(x);
        setCursor(found(timeline, over, time, REACH * span / width));
    };
    const down = (event) => {
        drag.current = { x: place(event).x, from: sight.from, to: sight.to };
        canvas.current.setPointerCapture(event.pointerId);
    };
    const up = (event) => {
        const { time, lane: over, width } = place(event), far = drag.current?.far;
        drag.current = null;
        if (far || over < 0 || over >= lanes.length)
            return;
        setLane(over);
        setCursor(found(timeline, over, time, REACH * span / width));
    };
    const alone = ({ slices, index }) => {
        const length = slices.to[index] - slices.from[index] || span / 20;
        sight.show(slices.from[index] - length / 2, slices.to[index] + length / 2);
    };
    const reach = (next) => { // shows it
        setCursor(next);
        if (next && (next.slices.from[next.index] < sight.from ||
            next.slices.to[next.index] > sight.to))
            sight.show(next.slices.from[next.index] - span / 2,
                       next.slices.from[next.index] + span / 2);
    };
    const choose = (to) => {
        const next = Math.min(Math.max(to, 0), lanes.length - 1), top = next * LANE;
        setLane(next);
        setCursor(null);
        if (top < box.current.scrollTop)
            box.current.scrollTop = top;
        else if (top + LANE + AXIS > box.current.scrollTop + box.current.clientHeight)
            box.current.scrollTop = top + LANE + AXIS - box.current.clientHeight;
    };
    const keys = {
        "+": () => sight.zoom(ZOOM), "=": () => sight.zoom(ZOOM), "-": () => sight.zoom(1 / ZOOM),
        "−": () => sight.zoom(1 / ZOOM), ArrowLeft: () => sight.pan(-0.2),
        ArrowRight: () => sight.pan(0.2), PageUp: () => sight.pan(-1), PageDown: () => sight.pan(1),
        Home: () => sight.show(0, span), End: () => sight.show(ticks - span, ticks),
        ArrowUp: () => choose(lane - 1), ArrowDown: () => choose(lane + 1),
        n: () => reach(besides(timeline, cursor, Math.max(lane, 0), 1, sight)),
        p: () => reach(besides(timeline, cursor, Math.max(lane, 0), -1, sight)),
        Enter: () => cursor && alone(cursor), Escape: () => {
            setCursor(null);
            sight.show(0, ticks);
        },
    };
    const key = (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey || !keys[event.key])
            return;
        keys[event.key]();
        event.preventDefault();
    };
    useEffect(() => { // Preact's own listeners cannot stop the page from scrolling
        const element = canvas.current;
        const wheel = (event) => {
            event.preventDefault();
            if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey)
                sight.pan((event.deltaX || event.deltaY) / 1000);
            else
                sight.zoom(1.0015 ** -event.deltaY, place(event).time);
        };
        element.addEventListener("wheel", wheel, { passive: false });
        return () => element.removeEventListener("wheel", wheel);
    });
    return (
        <div class="lanes" ref={box} tabIndex={0} data-keys onKeyDown={key} role="application"
            aria-label="timeline" style={{ "--lane": `${LANE}px`, "--axis": `${AXIS}px`,
                "--count": lanes.length }}>
            <Names lanes={lanes} lane={lane} choose={choose} />
            <div class="picture">
                <canvas ref={canvas} onPointerMove={move} onPointerDown={down} onPointerUp={up}
                    onPointerLeave={() => { setHover(null); setCursor(picked); }}
                    onDblClick={() => cursor && alone(cursor)} />
            </div>
        </div>);
}

function Zoom({ sight }) {
    return (
        <span class="choice" role="group" aria-label="zoom">
            <button type="button" title="Key −" onClick={() => sight.zoom(1 / ZOOM)}>−</button>
            <button type="button" title="Key +" onClick={() => sight.zoom(ZOOM)}>+</button>
            <button type="button" title="Escape" onClick={() => sight.show(0, Infinity)}>all
            </button>
        </span>);
}

export function Timeline({ model, route, current }) {
    const { timeline } = model, sight = useSight(timeline, route);
    const picked = useMemo(() => pickedIn(timeline, route.pick), [timeline, route.pick]);
    const inAddress = useMemo(() => sightOf(route, timeline), [timeline, route.from, route.to]);
    const of = timeline.lanes.findIndex((each) => current && each.of.function === current);
    const [lane, setLane] = useState(of), [cursor, setCursor] = useState(null);
    useEffect(() => setLane(of), [route.at]);
    useEffect(() => {
        setCursor(picked);
        if (picked)
            setLane(picked.lane);
    }, [timeline, picked]);
    const here = cursor && timeline.lanes[cursor.lane] ? cursor : null;
    return (
        <>
            <div class="tools">
                <Zoom sight={sight} />
                <p class="details" aria-live="polite">
                    {here ? <Slice timeline={timeline} cursor={here} /> :
                        <Summary timeline={timeline} sight={sight} />}
                </p>
            </div>
            <Picture {...{ timeline, picked, sight, lane, setLane, cursor: here, setCursor }} />
            {timeline.left_out > 0 && <p class="count">Of the first {
                at(timeline, 0)} nothing is drawn: {whole(timeline.left_out)} slices. The table
                of all of it has them; mcuprof export --to perfetto has all.</p>}
            <Sums model={model} timeline={timeline} sight={inAddress} />
        </>);
}
