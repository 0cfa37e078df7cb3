// SPDX-License-Identifier: MIT
// What changed since another profile, and whether by more than chance.
import { useMemo, useRef } from "preact/hooks";
import { duration, figure, signed, whole } from "./figures.js";
import { Figure, Name, NoFunction } from "./parts.jsx";
import { address, go } from "./route.js";
import { Head, Rows, useRoom } from "./rows.jsx";

const PERCENT = { name: "%", factor: 1, decimals: 2, finest: 2 };
const share = (value, error) =>
    (value === null ? <i class="dash">–</i> : <Figure of={figure(value, error, PERCENT)} />);

const isSure = (change, error, limit) => change !== 0 && Math.abs(change) >= limit * error;

/** Whether a row changed by more than chance: in time, where that is known of both runs. */
function changedIn(row, { time, sigmas: limit }) {
    if (!time)
        return row.sigmas === null ? row.self_change !== 0 : Math.abs(row.sigmas) >= limit;
    return ["self", "total"].some((what) => row[`${what}_seconds`] !== null &&
        isSure(row[`${what}_seconds`], row[`${what}_seconds_error`], limit));
}

/** A change, with a bar to the left where it is faster, to the right where it is slower. */
function Change({ change, error, most, limit }) {
    if (change === null)
        return null;
    const kind = !isSure(change, error, limit) ? "" : change > 0 ? "slower" : "faster";
    return (
        <span class={`change ${most > 0 ? "" : "bare"} ${kind}`}>
            {most > 0 && <span class="track" aria-hidden="true"><span style={{
                width: `${Math.sqrt(Math.min(Math.abs(change) / most, 1)) * 50}%`,
                [change > 0 ? "left" : "right"]: "50%" }} /></span>}
            <Figure of={{ text: signed(change, error), error: error > 0 ?
                figure(error, error, PERCENT).text : "" }} />
        </span>);
}

/** The unit in which the changes of times are read best. */
function unitOf(rows) {
    const most = Math.max(...rows.map((row) =>
        Math.max(Math.abs(row.self_seconds), row.self_seconds_error)));
    return most >= 1 ? ["s", 1] : most >= 1e-3 ? ["ms", 1e3] : ["µs", 1e6];
}

function partOf(what, { rows, time, sigmas: limit }) {
    const [unit, factor] = unitOf(rows);
    const mostOf = (key) => Math.max(1e-12, ...rows.map((row) => Math.abs(row[key])));
    const scale = time ? mostOf(`${what}_seconds`) * factor : mostOf(`${what}_change`);
    return [
        time && { id: `${what}_seconds`, title: `${what} Δ ${unit}`, change: true,
          help: "how much longer it took", cell: (row) => (
            <Change change={row[`${what}_seconds`] * factor} most={scale} limit={limit}
                error={row[`${what}_seconds_error`] * factor} />) },
        { id: `${what}_change`, title: time ? "Δ %" : `${what} Δ %`, change: true,
          help: "change of its share of the program's time, in points", cell: (row) => (
            <Change change={row[`${what}_change`]} error={row[`${what}_change_error`]}
                most={time ? 0 : scale} limit={limit} />) },
        { id: `${what}_before`, title: "% before", drop: what === "self" ? 1 : 2, cell: (row) =>
            share(row[`${what}_before`], row[`${what}_before_error`]) },
        { id: `${what}_after`, title: "% after", drop: what === "self" ? 1 : 2, cell: (row) =>
            share(row[`${what}_after`], row[`${what}_after_error`]) },
    ].filter(Boolean);
}

function columnsOf(changes) {
    return [
        { id: "name", title: "function", text: true, cell: (row) => (<>{row.function ?
            <a href={address({ view: "graph", at: row.function.id })} tabIndex={-1}>
                <Name of={row} /></a> : <Name of={row} />}{row.inlined &&
            <i class="dash"> {row.inlined}</i>}</>) },
        ...partOf("self", changes), ...(changes.totals ? partOf("total", changes) : []),
        changes.calls && { id: "calls_before", title: "calls before", cell: (row) =>
            row.calls_before === null ? "–" : whole(row.calls_before) },
        changes.calls && { id: "calls_after", title: "calls after", cell: (row) =>
            row.calls_after === null ? "–" : whole(row.calls_after) },
    ].filter(Boolean);
}

/** Changes are sorted by their size, whether faster or slower. */
function compare({ id, text, change }) {
    const of = (row) => (change ? Math.abs(row[id]) : row[id] ?? -1);
    return text ? (a, b) => a.name.localeCompare(b.name) :
        (a, b) => of(b) - of(a) || a.index - b.index;
}

/** What all of it comes to, in a sentence or two. */
function Headline({ changes, changed }) {
    const { time, timed, sigmas } = changes, than = timed ? "" : " by more than chance";
    const { change, error, before, after } = time ?? {};
    const kind = time && isSure(change, error, sigmas) ? change > 0 ? "slower" : "faster" : "";
    return (
        <p class="headline">
            {time && (kind ? <>The program's time changed by <b class={`change ${kind}`}><Figure
                unit="%" of={{ text: signed(change, error), error: error > 0 ?
                    figure(error, error, PERCENT).text : "" }} /></b>: {duration(before)} before, {
                duration(after)} after.</> : <>The program's time did not
                change{than}: <Figure unit="%" of={{ text: signed(change, error), error: error > 0 ?
                    figure(error, error, PERCENT).text : "" }} />.</>)}
            {!time && "The captures do not both have all of their program's time, so shares are " +
                "compared."}
            {" "}{changed === 0 ? `No function changed${than}.` :
                `${whole(changed)} of ${whole(changes.rows.length)} functions changed${than}${
                    timed ? "" : ` (${sigmas} standard errors)`}.`}
        </p>);
}

export function Compare({ model, route, current }) {
    const { changes } = model, every = useMemo(() => columnsOf(changes), [changes]);
    const table = useRef(null), columns = useRoom(every, table);
    const changed = useMemo(() => changes.rows.filter((row) => changedIn(row, changes)), [changes]);
    const [, minus, id] = /^(-?)(.*)$/.exec(route.sort || every[1].id);
    const column = every.find((each) => each.id === id) ?? every[1];
    const all = route.all === "1" || changed.length === 0, wanted = route.find?.toLowerCase();
    const shown = useMemo(() => {
        const rows = (all ? changes.rows : changed).filter(({ name }) =>
            !wanted || name.toLowerCase().includes(wanted)).sort(compare(column));
        return minus ? rows.reverse() : rows;
    }, [changes, all, wanted, column.id, minus]);
    const cursor = shown.findIndex((row) => row.function && row.function === current);
    const row = (i) => (
        <div key={shown[i].index} class="tr" role="row" aria-selected={i === cursor}>
            {columns.map(({ id: key, text, cell }) => (
                <span key={key} role="gridcell" class={text ? "text" : null}>{cell(shown[i])}
                </span>))}
        </div>);
    return (
        <>
            <Headline changes={changes} changed={changed.length} />
            <p class="count"><span class="fn">{changes.before}</span> → <span class="fn">
                {changes.after}</span>
                {changed.length > 0 && <a href={address({ ...route, all: all ? "" : "1" })}>
                    {all ? "show only what changed" : "show all"}</a>}
                {model.has("tree_before") && <a href={address({ view: "flame", colour: "change" })}>
                    flame graph of the change</a>}
                <span>% of the program's time on each side; ± is one standard error</span></p>
            <div class="table" ref={table} style={{ "--columns": columns.map(({ text }) =>
                (text ? "minmax(9rem, 1fr)" : "max-content")).join(" ") }}>
                <Rows count={shown.length} height={26} row={row} cursor={cursor}
                    head={<Head columns={columns} sort={column.id} reverse={minus !== ""}
                        set={(to) => go({ ...route, sort: to }, true)} />}
                    move={(i) => go({ ...route, at: shown[i].function?.id ?? "" }, true)}
                    onKey={(event) => event.key === "Enter" && current &&
                        go({ view: "graph", at: current.id })} label="changes" />
            </div>
            {shown.length === 0 && <NoFunction model={model} find={route.find} />}
        </>);
}
