// SPDX-License-Identifier: MIT
// The measured call paths as an icicle (the outermost on top) or a flame graph, on a canvas.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDrawing } from "./canvas.js";
import { duration, percent, whole } from "./figures.js";
import { drawFlame, ROW } from "./flame_draw.js";
import { besideOf, childOf, matchedOf, nameOf, nodeAt, nodeNamed, parentOf, pathOf, widestOf }
    from "./flame_layout.js";
import { isOf, targetOf } from "./model.js";
import { Figure, Links } from "./parts.jsx";
import { address, go } from "./route.js";

/** Which frames stand out: those of the function in question, or those found. */
function matcherOf(route, current) {
    const wanted = route.find?.toLowerCase();
    if (wanted)
        return (frame) => frame.name.toLowerCase().includes(wanted);
    if (current)
        return (frame) => isOf(frame, current);
    return null;
}

function Details({ model, node, tree, zoomed }) {
    const { share, error } = tree.shareOf(node.count) ?? { share: 100 };
    const target = targetOf(model, node.frame);
    return (
        <p class="details" aria-live="polite">
            <span class={`fn ${node.frame.inlined ? "inlined" : ""}`}>{node.frame.name}</span>
            <Figure of={percent(share, error)} unit="%" />
            <span>{tree.hz > 0 && `${duration(node.count / tree.hz)}, `}
                {whole(node.count)} {tree.unit} of {whole(tree.total)}</span>
            {target && <Links model={model} to={target} but="flame" />}
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

function Canvas({ model, tree, route, zoom, up, matches, node, setNode }) {
    const box = useRef(null), canvas = useRef(null);
    const { levels } = tree, from = zoom?.from ?? 0, span = zoom?.count ?? tree.total;
    const scene = { levels, from, to: from + span, up, matches, node, zoom };
    useDrawing(box, () => drawFlame(canvas.current, box.current, scene));
    useLayoutEffect(() => {
        box.current.scrollTop = up ? box.current.scrollHeight : 0;
    }, [up]);
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
    const zoomTo = (to) => go({ ...route, zoom: to ? nameOf(levels, to) : "" });
    const down = (event) => {
        const key = event.key, here = node ?? zoom ?? widestOf(levels[0], 0, tree.total);
        const to = movedBy(key, levels, here, up);
        const view = { g: "graph", s: "source" }[key];
        const target = targetOf(model, here.frame);
        if (event.altKey || event.ctrlKey || event.metaKey)
            return;
        if (to !== undefined)
            show(to && to.from < from + span && to.from + to.count > from ? to : here);
        else if (key === "Enter" || key === " ")
            zoomTo(here);
        else if (key === "Escape" || key === "Backspace")
            zoomTo(zoom ? parentOf(levels, zoom) : null);
        else if (view && target)
            go({ view, at: target.id });
        else
            return;
        event.preventDefault();
    };
    return (
        <div class="canvas" ref={box} tabIndex={0} data-keys onKeyDown={down} role="application"
            aria-label={`${up ? "flame graph" : "icicle"} of call paths`}>
            <canvas ref={canvas} onMouseMove={(event) => setNode(at(event))}
                onMouseLeave={() => setNode(null)} onClick={(event) => {
                    const to = at(event);
                    if (to)
                        zoomTo(to);
                }} />
            <div style={{ height: `${levels.length * ROW}px` }} />
        </div>);
}

export function Flame({ model, route, current }) {
    const { tree } = model, { levels } = tree, up = route.up === "1";
    const zoom = nodeNamed(levels, route.zoom);
    const [node, setNode] = useState(null);
    const matches = useMemo(() => matcherOf(route, current), [route.find, current]);
    const matched = useMemo(() => (matches ? matchedOf(levels, matches) : 0), [levels, matches]);
    const all = { frame: { name: "all", function: null }, count: tree.total };
    useEffect(() => setNode(null), [route.zoom]);
    return (
        <>
            <div class="tools">
                <span class="choice" role="group" aria-label="which way up">
                    <a href={address({ ...route, up: "" })} aria-current={up ? null : "true"}>
                        icicle</a>
                    <a href={address({ ...route, up: "1" })} aria-current={up ? "true" : null}>
                        flame</a>
                </span>
                <Details model={model} tree={tree} node={node ?? zoom ?? all}
                    zoomed={zoom && !node} />
                {matches && <p class="matched">
                    <b>{(100 * matched / tree.total).toFixed(1)} %</b> {route.find ?
                        `in paths with “${route.find}”` : `in paths with ${current.name}`}
                    <a href={address({ ...route, at: "", find: "" })}>clear</a></p>}
            </div>
            <Trail route={route} levels={levels} zoom={zoom} />
            <Canvas {...{ model, tree, route, zoom, up, matches, node, setNode }} />
            {!model.knows.paths && <p class="count">No call paths were sampled: they are estimated
                from the calls.</p>}
        </>);
}
