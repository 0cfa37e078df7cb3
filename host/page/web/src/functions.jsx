// SPDX-License-Identifier: MIT
// The table of functions: sorted, searched, each with its error.
import { useMemo, useRef } from "preact/hooks";
import { times, whole } from "./figures.js";
import { Bar, energyOf, Figure, Name, NoFunction, percentOf, Place, shareOf, singleOf, timeOf,
    totalShareOf, totalTimeOf, WholeText } from "./parts.jsx";
import { sourceOf } from "./model.js";
import { address, go } from "./route.js";
import { Head, Rows, useRoom } from "./rows.jsx";

const HEIGHT = 26;
const FEW = 3; // calls: no more than these need no percentiles, since each is known

const timesOf = (model, what, error, of) => (each) =>
    <Figure of={of(model, each[what], each[error])} />;
const shares = (model, what, error, of) => (each) => (each.overhead ? <i class="dash wide">–</i> : <>
    <Figure of={of(model, each[what], each[error])} />
    <Bar share={percentOf(model, each[what])} />
</>);
const energies = (model, what) => (each) =>
    <Figure of={energyOf(model, each[what], each[`${what}_error`])} />;
const calls = ({ calls: made, recursive }) => (made || recursive ? <>{whole(made)}
    {recursive > 0 && <i title="calls of itself"> +{whole(recursive)}</i>}</> : "");
const singles = (model, what) => (each) =>
    (each.timed ? singleOf(model, each[what]).text : "");
const percentiles = (model, what) => (each) =>
    (each[what] === null ? "" : singleOf(model, each[what]).text);

/** The columns that this profile has something for. */
function columnsOf(model) {
    const { knows, units } = model;
    const time = knows.samples || knows.timed, totals = time && (knows.paths || knows.calls);
    const energy = model.functions[0]?.self_joules !== undefined;
    const singly = model.functions.some(({ p99, timed }) => p99 !== null && timed > FEW);
    const most = energy ? singly ? 4 : 3 : singly ? 3 : null; // when there is room for times, too
    const about = knows.paths || knows.timed && !knows.samples ? "" : ", estimated by the calls";
    return [
        { key: "name", title: "function", text: true, cell: (each) => (
            <a href={address({ view: "graph", at: each.id })} tabIndex={-1}>
                <Name of={each} />
                {each.overhead && <em class="tag">profiler</em>}
                {each.cycle > 0 && <em class="tag">cycle {each.cycle}</em>}
            </a>) },
        time && { key: "self", title: "self %", wide: 1,
          cell: shares(model, "self", "share_error", shareOf),
          help: "share of the program's time in the function itself" },
        time && { key: "self", id: "self_time", title: `self ${units.time.name}`,
          drop: most ?? 1, cell: timesOf(model, "self", "error", timeOf) },
        totals && { key: "total", title: "total %", wide: 1,
          cell: shares(model, "total", "total_share_error", totalShareOf),
          help: `with all that it calls${about}` },
        totals && { key: "total", id: "total_time", title: `total ${units.time.name}`,
          drop: most ?? 2, cell: timesOf(model, "total", "total_error", totalTimeOf) },
        energy && { key: "self_joules", title: `self ${units.energy.name}`,
          drop: knows.timed ? 1 : 0, cell: energies(model, "self_joules"),
          help: "energy in the function itself" },
        energy && totals && { key: "total_joules", title: `total ${units.energy.name}`,
          drop: singly ? 4 : knows.timed ? 3 : 2, cell: energies(model, "total_joules"),
          help: `energy with all that it calls${about}` },
        knows.calls && { key: "calls", title: "calls", cell: calls },
        knows.timed && { key: "mean", title: `mean ${units.single.name}`,
          cell: singles(model, "mean"), help: "of a timed call" },
        knows.timed && { key: "shortest", title: "min", drop: singly ? 3 : 1,
          cell: singles(model, "shortest") },
        singly && { key: "p50", title: "p50", drop: 1, cell: percentiles(model, "p50"),
          help: "what half of its calls did not exceed" },
        singly && { key: "p99", title: "p99", drop: 1, cell: percentiles(model, "p99"),
          help: "what 99 % of its calls did not exceed" },
        knows.timed && { key: "longest", title: "max", cell: singles(model, "longest") },
        { key: "file", title: "source", text: true, drop: energy && singly ? 3 : 1,
          cell: (each) => (
            each.file && sourceOf(model, each) ?
                <a href={address({ view: "source", at: each.id })} tabIndex={-1}>
                    <Place {...each} /></a> : <Place {...each} />) },
    ].filter(Boolean).map((column) => ({ id: column.key, ...column }));
}

/** "×1.25 ±0.03" */
const gain = (model, what, error) => (each) => {
    const row = model.gains.get(each);
    return row?.[what] > 0 && <Figure of={times(row[what], row[error])} />;
};

/** The columns of what would be gained if a function cost less. */
function gainColumnsOf(model) {
    const [name, self, ...rest] = columnsOf(model).filter(({ id }) =>
        ["self", "name", "file"].includes(id));
    const column = (id, title, help, more) => ({ id, key: id, title, help, gains: true,
        cell: gain(model, id, `${id}_error`), ...more });
    const faster = "so many times as fast would the run be if it";
    const all = [...model.gains.values()].some((row) => row.free_all !== null);
    return [name, self,
        column("free", "itself free", `${faster} cost nothing, without what it calls`),
        column("half", "itself half", `${faster} cost half, without what it calls`),
        all && column("free_all", "total free", `${faster} and all it calls cost nothing`),
        all && column("half_all", "total half", `${faster} and all it calls cost half`,
            { drop: 1 }),
        ...rest].filter(Boolean);
}

function compareGains(model, key) {
    const of = (each) => model.gains.get(each)?.[key] ?? 0;
    return (a, b) => of(b) - of(a) || b.self - a.self;
}

function compare(key, text) {
    return text ? (a, b) => (a[key] ?? "").localeCompare(b[key] ?? "") || a.line - b.line
        : (a, b) => b[key] - a[key] || b.self - a.self || b.total - a.total || b.calls - a.calls;
}

export function matching(functions, find) {
    const wanted = find?.toLowerCase();
    return wanted ? functions.filter(({ name, file }) =>
        name.toLowerCase().includes(wanted) || file?.toLowerCase().includes(wanted)) : functions;
}

function useSorted(model, columns, route) {
    const usual = columns.find(({ gains }) => gains)?.id ?? "self";
    const [, minus, id] = /^(-?)(.*)$/.exec(route.sort || usual);
    const column = columns.find((each) => each.id === id) ?? columns[0];
    const sorted = useMemo(() => {
        const list = [...model.functions].sort(column.gains ? compareGains(model, column.key) :
            compare(column.key, column.text));
        return minus ? list.reverse() : list;
    }, [model, column.key, minus]);
    const shown = useMemo(() => matching(sorted, route.find), [sorted, route.find]);
    return { shown, sort: column.id, reverse: minus !== "" };
}

function widthOf({ key, text }) {
    if (text)
        return key === "name" ? "minmax(9rem, 3fr)" : "minmax(8.5rem, 1fr)";
    return "max-content";
}

function goKey(event, at, find) {
    const view = { Enter: "graph", g: "graph", f: "flame", s: "source" }[event.key];
    if (view && at)
        go({ view, at: at.id, find });
}

export function Functions({ model, route, current }) {
    const gains = route.show === "gains" && model.has("gains");
    const all = useMemo(() => (gains ? gainColumnsOf : columnsOf)(model), [model, gains]);
    const table = useRef(null), columns = useRoom(all, table);
    const { shown, sort, reverse } = useSorted(model, all, route);
    const cursor = shown.indexOf(current);
    const move = (row) => go({ ...route, at: shown[row].id }, true);
    const row = (i) => {
        const each = shown[i];
        return (
            <div key={each.index} role="row" aria-rowindex={i + 1} aria-selected={i === cursor}
                class="tr" onClick={() => move(i)}>
                {columns.map(({ id, text, cell }) => (
                    <span key={id} role="gridcell"
                        class={text ? "text" : null}>{cell(each)}</span>))}
            </div>);
    };
    return (
        <>
            <p class="count">{whole(shown.length)}{shown.length < model.functions.length &&
                ` of ${whole(model.functions.length)}`} functions
                {model.has("gains") && <span class="choice" role="group" aria-label="columns">
                    <a href={address({ ...route, show: "", sort: "" })}
                        aria-current={gains ? null : "true"}>times</a>
                    <a href={address({ ...route, show: "gains", sort: "" })}
                        aria-current={gains ? "true" : null}>gains</a></span>}
                {gains && <span class="faint">If a function cost less, the run{model.idle > 0 &&
                    `, without its ${model.idle.toFixed(1)} % in idle tasks,`} would be so many
                    times as fast.</span>}
                <WholeText model={model} bound />
            </p>
            <div class="table" ref={table} style={{ "--columns": columns.map(widthOf).join(" ") }}>
                <Rows count={shown.length} height={HEIGHT} row={row} cursor={cursor} move={move}
                    label="functions" onKey={(event) => goKey(event, current)}
                    head={<Head columns={columns} sort={sort} reverse={reverse}
                        set={(to) => go({ ...route, sort: to }, true)} />} />
            </div>
            {shown.length === 0 && <NoFunction model={model} find={route.find} />}
        </>);
}
