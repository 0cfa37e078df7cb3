// SPDX-License-Identifier: MIT
// The measured call paths as an icicle (the outermost on top) or a flame graph, on a canvas: from the
// outside in, from the inside out (bottom-up), or around one function.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDrawing } from "./canvas.js";
import { duration, percent, signed, whole } from "./figures.js";
import { drawFlame, ROW } from "./flame_draw.js";
import { besideOf, childOf, matchedOf, nameOf, nodeAt, nodeNamed, parentOf, pathOf, widestOf }
    from "./flame_layout.js";
import { aroundOf, bottomUpOf } from "./flame_merge.js";
import { isOf, targetOf } from "./model.js";
import { Choice, Figure, Links } from "./parts.jsx";
import { address, go } from "./route.js";

const WAYS = [["", "top-down"], ["bottom-up", "bottom-up"], ["sandwich", "sandwich"]];

const SURE = 3; // standard errors: a smaller change may be chance

/** Which frames stand out: those of the function in question, or those found. */
function matcherOf(tree, find, current) {
    const wanted = find?.toLowerCase();
    if (!wanted && !current)
        return null;
    const found = new Set(tree.frames.filter((frame) => (wanted ?
        frame.name.toLowerCase().includes(wanted) : isOf(frame, current))));
    return (frame) => found.has(frame);
}

/** How a node's share changed since the other profile. */
function Changed({ model, change: { was, change, error } }) {
    const kind = Math.abs(change) < SURE * error ? "" : change > 0 ? "slower" : "faster";
    return (
        <span>was {percent(was.share, was.error).text} %, <b class={`change ${kind}`}>
            <Figure of={{ text: signed(change, error), error: percent(error, error).text }}
                unit={model.changes.time ? "% of the time before" : "points"} /></b></span>);
}

function Details({ model, node, tree, zoomed, subject, change }) {
    const { share, error } = tree.shareOf(node.count);
    const target = targetOf(model, node.frame);
    return (
        <p class="details" aria-live="polite">
            <span class={`fn ${node.frame.inlined ? "inlined" : ""}`}>{node.frame.name}</span>
            <Figure of={node.count === tree.total ? { text: "100" } : percent(share, error)}
                unit="% of the program" />
            <span>{tree.hz > 0 && `${duration(node.count / tree.hz)}, `}
                {whole(node.count)} {tree.unit} of {whole(tree.total)}</span>
            {change && <Changed model={model} change={change} />}
            {target && <Links model={model} to={target} but="flame" />}
            {target && target !== subject && <a class="more" href={address({ view: "flame", at: target.id,
                show: "sandwich" })}>sandwich</a>}
            {zoomed && <span class="faint">zoomed in</span>}
        </p>);
}

function Trail({ route, levels, zoom }) {
    if (!zoom)
        return null;
    const path = pathOf(levels, zoom);
    return (
        <nav class="trail" aria-label="zoomed to">
            <a href={address({ ...route, zoom: "" })}>all</a>
            {path.map((node) => (
                <a key={node.depth} href={address({ ...route, zoom: nameOf(levels, node) })}
                    aria-current={node === zoom ? "true" : null}>{node.frame.name}</a>))}
        </nav>);
}

/** What a key moves to from a node; undefined: the key is none of these. */
function movedBy(key, levels, node, up) {
    const inner = up ? "ArrowUp" : "ArrowDown", outer = up ? "ArrowDown" : "ArrowUp";
    switch (key) {
    case inner: return childOf(levels, node);
    case outer: return parentOf(levels, node);
    case "ArrowLeft": return besideOf(levels, node, -1);
    case "ArrowRight": return besideOf(levels, node, 1);
    default: return undefined;
    }
}

/** The levels that are shown, `total` wide; `label` names them; enter(node) zooms in on a node, or goes
    to its function. */
function Canvas({ model, levels, total, enter, leave, zoom, up, matches, marked, change,
    node, setNode, label, main, fits }) {
    const box = useRef(null), canvas = useRef(null);
    const from = zoom?.from ?? 0, span = zoom?.count ?? total;
    const scene = { levels, from, to: from + span, up, matches, marked, change, node, zoom };
    useDrawing(box, () => drawFlame(canvas.current, box.current, scene));
    useLayoutEffect(() => { // to the root
        box.current.scrollTop = up ? box.current.scrollHeight : 0;
    }, [up, levels.length]);
    const show = (to) => {
        const { clientHeight, scrollTop } = box.current;
        const y = (up ? levels.length - 1 - to.depth : to.depth) * ROW;
        box.current.scrollTop = Math.max(y + ROW - clientHeight, Math.min(y, scrollTop));
        setNode(to);
    };
    const at = (event) => {
        const area = canvas.current.getBoundingClientRect();
        const row = Math.floor((event.clientY - area.top + box.current.scrollTop) / ROW);
        const depth = up ? levels.length - 1 - row : row;
        return nodeAt(levels, depth, from + (event.clientX - area.left) / area.width * span);
    };
    const down = (event) => {
        const key = event.key, here = node ?? zoom ?? widestOf(levels[0], 0, total);
        const to = movedBy(key, levels, here, up);
        const view = { g: "graph", s: "source" }[key];
        const target = targetOf(model, here.frame);
        if (event.altKey || event.ctrlKey || event.metaKey)
            return;
        if (to !== undefined)
            show(to && to.from < from + span && to.from + to.count > from ? to : here);
        else if (key === "Enter" || key === " ")
            enter(here);
        else if (key === "Escape" || key === "Backspace")
            leave();
        else if (view && target)
            go({ view, at: target.id });
        else
            return;
        event.preventDefault();
    };
    return (
        <div class={`canvas ${up ? "up" : ""}`} ref={box} tabIndex={0} data-keys={main ? true : null}
            onKeyDown={down} role="application" aria-label={label}
            style={fits ? { height: `${levels.length * ROW}px` } : null}>
            <canvas ref={canvas} onMouseMove={(event) => setNode(at(event))}
                onMouseLeave={() => setNode(null)} onClick={(event) => {
                    const to = at(event);
                    if (to)
                        enter(to);
                }} />
            <div style={{ height: `${levels.length * ROW}px` }} />
        </div>);
}

/** The node that is looked at, as long as `place` is the same: found again by its path when the levels
    are others. */
function useNode(levels, place = "") {
    const [picked, pick] = useState(null);
    const setNode = (node) => pick(node && { node, levels, place });
    const node = picked?.place === place && (picked.levels === levels ? picked.node :
        nodeNamed(levels, nameOf(picked.levels, picked.node)));
    return [node || null, setNode];
}

function Tools({ model, route, way, up, children }) {
    return (
        <div class="tools">
            <Choice label="from where" options={WAYS.map(([show, title]) => [title, show === way,
                { ...route, show, zoom: "" }])} />
            {way !== "sandwich" && <Choice label="which way up" options={[
                ["icicle", !up, { ...route, up: "" }], ["flame", up, { ...route, up: "1" }]]} />}
            {way === "" && model.has("tree_before") && <Choice label="colours" options={[
                ["by name", route.colour !== "change", { ...route, colour: "" }],
                ["by change", route.colour === "change", { ...route, colour: "change" }]]} />}
            {children}
        </div>);
}

function Matched({ tree, matches, route, current }) {
    const matched = useMemo(() => (matches ? matchedOf(tree.levels, matches) : 0), [tree, matches]);
    return matches && (
        <p class="matched"><b>{(100 * matched / tree.total).toFixed(1)} %</b> {route.find ?
            `in paths with “${route.find}”` : `in paths with ${current.name}`}
        <a href={address({ ...route, at: "", find: "" })}>clear</a></p>);
}

function Paths({ model, route, current, way, matches }) {
    const { tree } = model, up = route.up === "1";
    const merged = useMemo(() => (way === "bottom-up" ? bottomUpOf(tree) : null), [tree, way]);
    const zoom = merged ? merged.named(route.zoom) : nodeNamed(tree.levels, route.zoom);
    const levels = useMemo(() => (merged ? merged.levels(zoom) : tree.levels),
        [tree, merged, zoom]);
    const change = way === "" && route.colour === "change" && model.has("tree_before") ?
        model.change : null;
    const [node, setNode] = useNode(levels, `${way} ${route.zoom ?? ""}`);
    const zoomTo = (to) => go({ ...route, zoom: to ? nameOf(levels, to) : "" });
    const all = { frame: { name: "all", function: null }, count: tree.total };
    return (
        <>
            <Tools model={model} route={route} way={way} up={up}>
                <Details model={model} tree={tree} node={node ?? zoom ?? all}
                    zoomed={zoom && !node} change={change?.get(node ?? zoom)} />
                <Matched {...{ tree, matches, route, current }} />
            </Tools>
            <Trail route={route} levels={levels} zoom={zoom} />
            <Canvas {...{ model, levels, total: tree.total, zoom, up, matches, change, node,
                setNode }} main enter={zoomTo} leave={() => zoomTo(zoom ? parentOf(levels, zoom) : null)}
                label={`${up ? "flame graph" : "icicle"} of call paths${merged ? ", bottom-up" : ""}`} />
        </>);
}

/** The frame that has the most time for itself. */
function hottestOf(tree) {
    const self = new Map();
    for (const { frame, count } of bottomUpOf(tree).roots)
        self.set(frame, (self.get(frame) ?? 0) + count);
    return [...self].sort((a, b) => b[1] - a[1]).find(([{ function: of }]) => of)?.[0] ?? null;
}

/** A function's callers above it, its callees below it. */
function Sandwich({ model, route, current }) {
    const { tree } = model;
    const subject = useMemo(() => current ?? hottestOf(tree)?.function, [tree, current]);
    const { callers, callees } = useMemo(() => aroundOf(tree,
        matcherOf(tree, "", subject) ?? (() => false)), [tree, subject]);
    const [above, below] = useMemo(() => [callers.levels().slice(1).map((level, depth) =>
        level.map((node) => ({ ...node, depth }))), callees.levels()], [callers, callees]);
    const [caller, setCaller] = useNode(above), [callee, setCallee] = useNode(below);
    const matches = useMemo(() => matcherOf(tree, route.find, null), [tree, route.find]);
    const enter = ({ frame }) => {
        const target = targetOf(model, frame);
        if (target)
            go({ ...route, at: target.id });
    };
    const shared = { model, total: callees.total, matches, enter,
        marked: below[0]?.[0]?.frame, leave: () => history.back() };
    if (callees.total === 0)
        return (
            <>
                <Tools model={model} route={route} way="sandwich" />
                <p class="nothing">{subject?.name ?? "No function"} is in no path.</p>
            </>);
    return (
        <>
            <Tools model={model} route={route} way="sandwich">
                <Details model={model} tree={tree} node={caller ?? callee ?? below[0][0]}
                    subject={subject} />
            </Tools>
            <div class="sandwich">
                {above.length > 0 ? <Canvas {...shared} levels={above} up fits node={caller}
                    setNode={setCaller} label={`callers of ${subject.name}`} /> :
                    <p class="nothing">Nothing calls it.</p>}
                <Canvas {...shared} levels={below} node={callee} setNode={setCallee} main
                    label={`callees of ${subject.name}`} />
            </div>
        </>);
}

export function Flame({ model, route, current }) {
    if (model.has("source")) // now, for a view that waits for it later forgets what was looked at
        void model.source;
    const { tree, knows } = model, way = WAYS.find(([show]) => show === route.show)?.[0] ?? "";
    const matches = useMemo(() => matcherOf(tree, route.find, current),
        [tree, route.find, current]);
    return (
        <>
            {way === "sandwich" ? <Sandwich {...{ model, route, current }} /> :
                <Paths {...{ model, route, current, way, matches }} />}
            {way === "" && route.colour === "change" && <p class="count"><i class="key slower" /> more {
                    model.changes.time ? "time" : "of the program's time"} than before
                <i class="key faster" /> less <i class="key same" /> no more than chance
                changes</p>}
            {!knows.paths && <p class="count">No call paths were sampled: they are estimated from
                the calls.</p>}
        </>);
}
