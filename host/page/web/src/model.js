// SPDX-License-Identifier: MIT
// The page's data (host/page/data.h) as objects that know each other. Only their positions are
// computed here. A block of data is read when it is first looked at.
import { shareOfSamples } from "./figures.js";
import { firstBeyond, parentOf } from "./flame_layout.js";
import { layOut } from "./timeline_layout.js";

/** Rows of a table as objects. */
function rowsOf({ columns, rows }) {
    return rows.map((values) => {
        const row = {};
        for (let i = 0; i < columns.length; i++)
            row[columns[i]] = values[i];
        return row;
    });
}

function functionsOf({ files, ...table }) {
    const functions = rowsOf(table);
    functions.forEach((each, index) => {
        each.index = index;
        each.id = `0x${each.address.toString(16)}`;
        each.overhead = each.overhead === 1;
        each.file = each.file === null ? null : files[each.file];
    });
    return functions;
}

/** Gives each function its callers and callees, the most time first, when they are asked for.
    The arcs are sorted by caller, then by callee. */
class Arcs {
    constructor({ times, columns, values }, functions) {
        const width = columns.length, count = values.length / width;
        Object.assign(this, { times, values, width, functions,
            out: functions.map(() => []), ins: functions.map(() => []) });
        for (let i = 0; i < count; i++) {
            if (values[i * width] !== null)
                this.out[values[i * width]].push(i);
            this.ins[values[i * width + 1]].push(i);
        }
    }

    all(numbers) {
        const { values, functions } = this;
        return numbers.map((number) => {
            const [caller, callee, interrupt, calls, at, sites, timed, mean, shortest, longest] =
                values.slice(number * this.width, (number + 1) * this.width);
            const [time, , shareError] = this.times[at];
            return { caller: functions[caller] ?? null, callee: functions[callee],
                interrupt: interrupt === 1, calls, time, shareError, sites,
                timed: timed ?? 0, mean, shortest, longest };
        }).sort((a, b) => b.time - a.time || b.calls - a.calls);
    }

    callersOf(of) { return this.all(this.ins[of.index]); }
    calleesOf(of) { return this.all(this.out[of.index]); }
}

/** A row of source: kinds as in host/report/annotate.h. */
export const LINE = 0, INLINED = 1, GAP = 2, FILE = 3, CODE = 4;

function rowOf([kind, at, text, indent, time, error, below, ran, calls, entries, atMost]) {
    return { kind, at, text, indent, counted: time !== undefined, time, error, below, ran, calls,
        entries, atMost };
}

/** Sources: functions of the ELF (`of`), and inlined ones (`of` is null). */
function sourcesOf(data, functions) {
    const all = data.functions.map((each, index) => {
        const of = each.function === null ? null : functions[each.function];
        return { ...each, index, of, id: of?.id ?? `i${index}`,
            lines: each.lines.map(rowOf), code: each.code?.map(rowOf) ?? null };
    });
    return { ...data, all, byId: new Map(all.map((each) => [each.id, each])) };
}

const suffix = " (inlined)";

/** The nodes of a tree by depth, each level from left to right: each comes before those below it, with
    what it has for itself. */
function grown(values, frames, tasks) {
    const levels = [], open = [];
    let at = 0;
    const close = (depth) => {
        while (open.length > depth) {
            const node = open.pop();
            node.count = at - node.from;
        }
    };
    const count = values.length / 3; // depths, then names, then what they have
    for (let i = 0; i < count; i++) {
        const depth = values[i];
        close(depth);
        const node = { depth, frame: frames[values[count + i]], from: at, count: 0,
            isTask: tasks && depth === 0 };
        (levels[depth] ??= []).push(node);
        open.push(node);
        at += values[2 * count + i];
    }
    close(0);
    return levels;
}

/** The same of nodes that say where they begin and what they have in all. */
function levelsOf(values, frames, tasks) {
    const levels = [];
    for (let i = 0; i < values.length; i += 4) {
        const depth = values[i];
        (levels[depth] ??= []).push({ depth, frame: frames[values[i + 1]], from: values[i + 2],
            count: values[i + 3], isTask: tasks && depth === 0 });
    }
    return levels;
}

function framesOf(names, functions = []) {
    return names.map((name, index) => ({ name, index, function: functions[index] ?? null,
        inlined: name.endsWith(suffix) }));
}

function treeOf(tree, functions, { paths, samples }) {
    const frames = framesOf(tree.names, tree.functions.map((index) => functions[index]));
    return { ...tree, frames, levels: grown(tree.values, frames, tree.tasks),
        shareOf: (count) => (paths && samples ? shareOfSamples(count, tree.total) :
            { share: 100 * count / tree.total, error: 0 }) };
}

/** What the overview has of the tree: shares of tasks by name, what idle tasks have, large nodes. */
function partsOf({ tasks, idle: [share, error], large }) {
    return { tasks: new Map(tasks.map(([name, ...of]) => [name, of])), idle: { share, error },
        large: { total: large.total,
            levels: levelsOf(large.values, framesOf(large.names), tasks.length > 0) } };
}

/** What changed in each node of a tree since another: a map from nodes to { was, change, error }, in
    per cent of the program's time before, where that is known of both, else of each one's own. */
function changeOf(tree, before, time) {
    const longer = time ? time.after / time.before : 1;
    const changes = new Map(), pairs = new Map(), parents = new Map();
    const below = (node) => { // by name
        const level = before.levels[node ? node.depth + 1 : 0] ?? [], found = new Map();
        const end = node ? node.from + node.count : Infinity;
        for (let i = firstBeyond(level, node?.from ?? 0); level[i]?.from < end; i++)
            found.set(level[i].frame.name, level[i]);
        return found;
    };
    const pairOf = (node) => {
        const above = parentOf(tree.levels, node), was = above ? pairs.get(above) : null;
        if (above && !was)
            return null;
        if (!parents.has(was))
            parents.set(was, below(was));
        return parents.get(was).get(node.frame.name) ?? null;
    };
    for (const level of tree.levels)
        for (const node of level) {
            const was = pairOf(node), now = tree.shareOf(node.count);
            const then = was ? before.shareOf(was.count) : { share: 0, error: 0 };
            const both = (node.count + (was?.count ?? 0)) / (tree.total + before.total);
            const error = 100 * Math.sqrt(both * (1 - both) * (1 / tree.total + 1 / before.total));
            pairs.set(node, was);
            changes.set(node, { was: then, change: now.share * longer - then.share,
                error: Math.max(Math.hypot(now.error * longer, then.error), error) });
        }
    return changes;
}

function changesOf(changes, functions) {
    const named = new Map(functions.map((each) => [each.name, each]));
    return { ...changes, rows: rowsOf(changes).map((row, index) => (
        { ...row, index, function: named.get(row.name) ?? null })) };
}

function timelineOf(timeline, functions) {
    const tracks = rowsOf(timeline.tracks).map((track, index) => ({ ...track, index,
        idle: track.idle === 1, interrupt: track.interrupt === 1,
        function: functions[track.function] ?? null }));
    return layOut({ ...timeline, tracks, marks: rowsOf(timeline.marks) });
}

/** Calls make() once, when the value is first asked for. */
function lazy(object, name, make) {
    Object.defineProperty(object, name, { configurable: true, enumerable: true, get() {
        const value = make();
        Object.defineProperty(object, name, { value, enumerable: true });
        return value;
    } });
}

/** `block(name)` is a block of data, or null. */
export function modelOf(block, has) {
    const overview = block("overview");
    const model = { ...overview, has,
        tasks: rowsOf(overview.tasks).map((task) => ({ ...task, idle: task.idle === 1 })) };
    lazy(model, "functions", () => functionsOf(block("functions")));
    lazy(model, "byId", () => new Map(model.functions.map((each) => [each.id, each])));
    lazy(model, "arcs", () => new Arcs(block("arcs"), model.functions));
    lazy(model, "parts", () => (has("hottest") ? partsOf(block("hottest")) : null));
    lazy(model, "hottest", () => (has("hottest") ? block("hottest").paths : []).map(
        ([share, error, ...frames], i) => ({ share, error,
            energy: block("hottest").energies?.[i], frames: frames.map(([name, index]) => (
            { name, function: model.functions[index] ?? null })) })));
    lazy(model, "tree", () => treeOf(block("tree"), model.functions, model.knows));
    lazy(model, "change", () => changeOf(model.tree, treeOf(block("tree_before"), [], model.knows),
        model.changes.time));
    lazy(model, "source", () => sourcesOf(block("source"), model.functions));
    lazy(model, "gains", () => new Map(rowsOf(block("gains")).map(
        (row) => [model.functions[row.function], row])));
    lazy(model, "idle", () => block("gains").idle);
    lazy(model, "timeline", () => timelineOf(block("timeline"), model.functions));
    lazy(model, "changes", () => changesOf(block("changes"), model.functions));
    return model;
}

/** The function, or the inlined function that has source, of this id; or null. */
export function named(model, id) {
    if (!id)
        return null;
    return model.byId.get(id) ?? (model.has("source") && model.source.byId.get(id) || null);
}

/** The source of a function, or null. */
export const sourceOf = (model, { id }) =>
    (model.has("source") && model.source.byId.get(id) || null);

/** What a frame of the tree leads to: a function, the source of an inlined one, or null. */
export function targetOf(model, frame) {
    if (frame.function || !frame.inlined || !model.has("source"))
        return frame.function;
    const name = frame.name.slice(0, -suffix.length);
    return model.source.all.find((each) => each.of === null && each.name === name) ?? null;
}

/** Whether a frame is the function, or the inlined function, in question. */
export const isOf = (frame, { of, name, index }) => (of === null ?
    frame.name === name + suffix : frame.function !== null && frame.function.index === index);
