// SPDX-License-Identifier: MIT
// What changed since another profile, and whether by more than chance.
import { useMemo } from "preact/hooks";
import { figure, signed, whole } from "./figures.js";
import { Figure, Name, NoFunction } from "./parts.jsx";
import { address, go } from "./route.js";
import { Rows } from "./rows.jsx";

const PERCENT = { name: "%", factor: 1, decimals: 2, finest: 2 };
const share = (value, error) =>
    (value === null ? <i class="dash">–</i> : <Figure of={figure(value, error, PERCENT)} />);

/** A change, with a bar to the left where it is faster, to the right where it is slower. */
function Change({ change, error, sigmas, most, limit }) {
    const sure = sigmas === null ? change !== 0 : Math.abs(sigmas) >= limit;
    const kind = !sure ? "" : change > 0 ? "slower" : "faster";
    return (
        <span class={`change ${kind}`}>
            <span class="track" aria-hidden="true"><span style={{
                width: `${Math.min(Math.abs(change) / most, 1) * 50}%`,
                [change > 0 ? "left" : "right"]: "50%" }} /></span>
            <Figure of={{ text: signed(change, error), error: error > 0 ?
                figure(error, error, PERCENT).text : "" }} />
        </span>);
}

function columnsOf(changes) {
    const most = Math.max(1e-9, ...changes.rows.map((row) =>
        Math.max(Math.abs(row.self_change), Math.abs(row.total_change ?? 0))));
    const part = (what) => [
        { title: `${what} % before`, cell: (row) =>
            share(row[`${what}_before`], row[`${what}_before_error`]) },
        { title: "after", cell: (row) =>
            share(row[`${what}_after`], row[`${what}_after_error`]) },
        { title: "change", cell: (row) => (
            <Change change={row[`${what}_change`]} error={row[`${what}_change_error`]}
                sigmas={row[`${what}_sigmas`]} most={most} limit={changes.sigmas} />) },
    ];
    return [
        { title: "function", text: true, cell: (row) => (<>{row.function ?
            <a href={address({ view: "graph", at: row.function.id })} tabIndex={-1}>
                <Name of={row} /></a> : <Name of={row} />}{row.inlined &&
            <i class="dash"> {row.inlined}</i>}</>) },
        ...part("self"), ...(changes.totals ? part("total") : []),
        changes.calls && { title: "calls before", cell: (row) =>
            row.calls_before === null ? "–" : whole(row.calls_before) },
        changes.calls && { title: "after", cell: (row) =>
            row.calls_after === null ? "–" : whole(row.calls_after) },
    ].filter(Boolean);
}

export function Compare({ model, route, current }) {
    const { changes } = model, columns = useMemo(() => columnsOf(changes), [changes]);
    const sure = (row) => row.sigmas === null ? row.self_change !== 0 :
        Math.abs(row.sigmas) >= changes.sigmas;
    const changed = useMemo(() => changes.rows.filter(sure), [changes]);
    const all = route.all === "1" || changed.length === 0, wanted = route.find?.toLowerCase();
    const shown = (all ? changes.rows : changed).filter(({ name }) =>
        !wanted || name.toLowerCase().includes(wanted));
    const cursor = shown.findIndex((row) => row.function && row.function === current);
    const row = (i) => (
        <div key={shown[i].index} class="tr" role="row" aria-selected={i === cursor}>
            {columns.map(({ text, cell }, j) => (
                <span key={j} role="gridcell" class={text ? "text" : null}>{cell(shown[i])}
                </span>))}
        </div>);
    const head = (
        <div class="head tr" role="row">{columns.map(({ title, text }, j) => (
            <span key={j} role="columnheader" class={text ? "text" : null}>{title}</span>))}</div>);
    return (
        <>
            <p class="count"><span class="fn">{changes.before}</span> → <span class="fn">
                {changes.after}</span>: {changed.length === 0 ? "no function changed" :
                `${whole(changed.length)} of ${whole(changes.rows.length)} functions changed`} by
                more than chance ({changes.sigmas} standard errors)
                {changed.length > 0 && <a href={address({ ...route, all: all ? "" : "1" })}>
                    {all ? "show only these" : "show all"}</a>}</p>
            <div class="table" style={{ "--columns": columns.map(({ text }) =>
                (text ? "minmax(9rem, 1fr)" : "max-content")).join(" ") }}>
                <Rows count={shown.length} height={26} row={row} head={head} cursor={cursor}
                    move={(i) => go({ ...route, at: shown[i].function?.id ?? "" }, true)}
                    onKey={(event) => event.key === "Enter" && current &&
                        go({ view: "graph", at: current.id })} label="changes" />
            </div>
            {shown.length === 0 && <NoFunction model={model} find={route.find} />}
        </>);
}
