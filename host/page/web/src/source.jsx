// SPDX-License-Identifier: MIT
// A function's source or instructions, with the heat of each line in the margin.
import { useMemo, useState } from "preact/hooks";
import { figure, whole } from "./figures.js";
import { highlighted } from "./highlight.jsx";
import { List } from "./list.jsx";
import { CODE, FILE, GAP, INLINED, sourceOf } from "./model.js";
import { Bar, Figure, Links, Name, Nothing, Place } from "./parts.jsx";
import { address, go } from "./route.js";
import { Rows } from "./rows.jsx";

const HEIGHT = 20;
const AT_MOST = "conditional code: its block ran so often, the line at most";

const scaleOf = (model) =>
    ({ name: "%", factor: model.source.factor, decimals: 2, finest: 2 });

/** The columns of counts that any of the rows fills. */
function columnsOf(rows, scale) {
    const count = (what) => (row) => (row[what] ? whole(row[what]) : "");
    return [
        { title: "self %", help: "samples in this line", there: ({ time }) => time > 0,
          cell: ({ time, error }) => time > 0 && <Figure of={figure(time, error, scale)} /> },
        { title: "below %", help: "samples in what is called from this line",
          there: ({ below }) => below > 0,
          cell: ({ below }) => below > 0 && (below * scale.factor).toFixed(2) },
        { title: "ran", help: "how often the line ran; ≤: at most", there: ({ ran }) => ran !== null,
          cell: ({ ran, atMost }) => ran !== null && (atMost && ran > 0 ?
              <span title={AT_MOST}>≤{whole(ran)}</span> : whole(ran)) },
        { title: "calls", help: "calls made from this line", there: ({ calls }) => calls > 0,
          cell: count("calls") },
        { title: "entered", help: "calls of the function that begins here",
          there: ({ entries }) => entries > 0, cell: count("entries") },
    ].filter(({ there }) => rows.some((row) => row.counted && there(row)));
}

function Text({ row, code, missing }) {
    if (row.kind === GAP)
        return <span class="gap">⋯</span>;
    if (row.kind === FILE)
        return <span class="file">{row.text}</span>;
    if (row.kind === INLINED)
        return <span class="inlined" style={{ marginLeft: `${row.indent}ch` }}>{row.text}</span>;
    if (row.kind === CODE)
        return <span class="code">{row.text}</span>;
    return <span class={code ? "heading" : ""}>{row.text === null ?
        <i class="faint">{missing}</i> : highlighted(row.text)}</span>;
}

function Lines({ rows, model, most, label, onKey, code, hottest }) {
    const [cursor, setCursor] = useState(hottest); // it is in sight when the function is shown
    const scale = scaleOf(model), columns = columnsOf(rows, scale);
    const row = (i) => {
        const each = rows[i], share = each.counted ? each.time * scale.factor : 0;
        const number = each.kind === CODE ? each.at.toString(16) :
            each.kind === GAP || each.kind === FILE || !each.at ? "" : each.at;
        return (
            <div key={i} class={`line kind${each.kind}`} role="row" aria-selected={i === cursor}
                onClick={() => setCursor(i)} style={{ "--glow": (share / most).toFixed(2) }}>
                <Bar share={share} of={most} kind="heat" />
                {columns.map(({ title, cell }) => (
                    <span key={title} class="count" role="cell">{each.counted && cell(each)}
                    </span>))}
                <span class="number" role="rowheader">{number}</span>
                <span class="text" role="cell"><Text row={each} code={code}
                    missing={model.source.texts ? "not found" : "left out"} /></span>
            </div>);
    };
    const head = (
        <div class="head line" role="row">
            <span />{columns.map(({ title, help }) => (
                <span key={title} class="count" role="columnheader" title={help}>{title}</span>))}
            <span class="number" role="columnheader">{code ? "address" : "line"}</span><span />
        </div>);
    return (
        <div class="listing" style={{ "--counts": columns.map(({ title }) =>
            (title === "self %" ? "var(--count-self)" : "var(--count)")).join(" ") || "0" }}>
            <Rows count={rows.length} height={HEIGHT} row={row} head={head}
                cursor={cursor} move={setCursor} label={label} role="table"
                onKey={(event) => (event.key === "h" ? setCursor(Math.max(hottest, 0)) :
                    onKey(event))} />
        </div>);
}

/** The largest share that a row has, and which row that is; -1: none has one. */
function hottestOf(rows, scale) {
    let hottest = -1;
    rows.forEach(({ time }, i) => {
        if ((time ?? 0) > (rows[hottest]?.time ?? 0))
            hottest = i;
    });
    return { hottest, most: Math.max(1e-9, (rows[hottest]?.time ?? 0) * scale.factor) };
}

function Header({ model, of, route, code }) {
    return (
        <div class="tools">
            <h2><Name of={of} /></h2>
            <Place {...of} />
            <Figure of={figure(of.time, of.error, scaleOf(model))} unit="% of the program" />
            {of.of === null && <em class="tag">inlined</em>}
            {of.code && <span class="choice" role="group" aria-label="what is shown">
                <a href={address({ ...route, asm: "" })} aria-current={code ? null : "true"}>
                    lines</a>
                <a href={address({ ...route, asm: "1" })} aria-current={code ? "true" : null}>
                    instructions</a></span>}
            <Links model={model} to={of.of ?? of} but="source" />
            {of.landed.length > 0 && <p class="landed">inlined into {of.landed.map(([name], i) => (
                <span key={i}>{i > 0 && ", "}<span class="fn">{name}</span></span>))}</p>}
        </div>);
}

function LeftOut({ model, current }) {
    const { most, left_out: left } = model.source;
    return (
        <Nothing><span class="fn">{current.name}</span> {left > 0 ?
            `is not among the ${whole(most)} hottest functions, whose source is on this page; ` +
            "mcuprof html --sources 0 takes all" : "has no samples and no counts of its lines"}.
        </Nothing>);
}

export function Source({ model, route, current }) {
    const { all } = model.source, scale = scaleOf(model);
    const of = current === null ? all[0] : sourceOf(model, current);
    const code = route.asm === "1" && of?.code;
    const rows = of && (code ? of.code : of.lines);
    const { most, hottest } = useMemo(() => hottestOf(rows ?? [], scale), [rows]);
    const keys = (event) => {
        const view = { f: "flame", g: "graph", Enter: "graph" }[event.key];
        if (event.key === "a" && of?.code)
            go({ ...route, asm: code ? "" : "1" }, true);
        else if (view && of)
            go({ view, at: of.id });
    };
    return (
        <div class="beside">
            <List items={all} current={of} route={route} label="functions with source"
                onKey={keys} shareOf={(each) => each.time * scale.factor} />
            <div class="pane">
                {of ? <><Header model={model} of={of} route={route} code={code} />
                    <Lines key={`${of.id} ${code}`} rows={rows} model={model} most={most}
                        onKey={keys} code={code} hottest={hottest}
                        label={`${code ? "instructions" : "source"} of ${of.name}`} /></> :
                    <LeftOut model={model} current={current} />}
            </div>
        </div>);
}
