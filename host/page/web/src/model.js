// SPDX-License-Identifier: MIT
// The page's data (host/page/data.h) as objects that know each other. Nothing is computed here but
// what stands where.

/** Rows of a table as objects. */
function rowsOf({ columns, rows }) {
    return rows.map((values) => {
        const row = {};
        for (let i = 0; i < columns.length; i++)
            row[columns[i]] = values[i];
        return row;
    });
}

function functionsOf(data) {
    const functions = rowsOf(data.functions);
    functions.forEach((each, index) => {
        each.index = index;
        each.id = `0x${each.address.toString(16)}`;
        each.overhead = each.overhead === 1;
        each.file = each.file === null ? null : data.files[each.file];
        each.callers = [];
        each.callees = [];
        each.source = null;
    });
    return functions;
}

function linkArcs(arcs, functions) {
    for (const arc of arcs) {
        const { caller, callee } = arc;
        arc.caller = caller === null ? null : functions[caller];
        arc.callee = functions[callee];
        arc.callee.callers.push(arc);
        arc.caller?.callees.push(arc);
    }
    const byTime = (a, b) => b.time - a.time || b.calls - a.calls;
    for (const each of functions) {
        each.callers.sort(byTime);
        each.callees.sort(byTime);
    }
}

/** A row of source: kinds as in host/report/annotate.h. */
export const LINE = 0, INLINED = 1, GAP = 2, FILE = 3, CODE = 4;

function rowOf([kind, at, text, indent, time, error, below, ran, calls, entries]) {
    return { kind, at, text, indent, counted: time !== undefined, time, error, below, ran, calls,
        entries };
}

function sourcesOf(data, functions) {
    return data.source.functions.map((each, index) => {
        const source = { ...each, index, id: `i${index}`, function: null,
            lines: each.lines.map(rowOf), code: each.code?.map(rowOf) ?? null };
        if (each.function !== null) {
            source.function = functions[each.function];
            source.id = source.function.id;
            source.function.source = source;
        }
        return source;
    });
}

/** The nodes of the tree by depth, each level from left to right. */
function treeOf(tree, functions, sources) {
    if (tree === null)
        return null;
    const inlined = new Map(sources.filter((each) => each.function === null)
        .map((each) => [`${each.name} (inlined)`, each]));
    const frames = tree.names.map((name, index) => ({
        name, index, function: tree.functions[index] === null ? null :
            functions[tree.functions[index]],
        source: inlined.get(name) ?? null, profiler: name === "[profiler]",
        inlined: name.endsWith(" (inlined)"),
    }));
    for (const frame of frames) {
        if (frame.function !== null) {
            frame.source = frame.function.source;
            frame.function.frame = frame;
        } else if (frame.source !== null) {
            frame.source.frame = frame;
        }
    }
    const shares = new Map(tree.counts.map(([count, share, error]) => [count, { share, error }]));
    const levels = [], { nodes } = tree;
    for (let i = 0; i < nodes.length; i += 4) {
        const depth = nodes[i];
        (levels[depth] ??= []).push({ depth, frame: frames[nodes[i + 1]], from: nodes[i + 2],
            count: nodes[i + 3], isTask: tree.tasks && depth === 0 });
    }
    return { ...tree, frames, levels, shareOf: (count) => shares.get(count),
        hottest: tree.hottest.map(([count, ...names]) => ({ count,
            frames: names.map((name) => frames[name]) })) };
}

function changesOf(changes, functions) {
    if (changes === null)
        return null;
    const named = new Map(functions.map((each) => [each.name, each]));
    return { ...changes, rows: rowsOf(changes).map((row, index) => (
        { ...row, index, function: named.get(row.name) ?? null })) };
}

export function modelOf(data) {
    const functions = functionsOf(data);
    const sources = sourcesOf(data, functions);
    linkArcs(rowsOf(data.arcs), functions);
    return { ...data, functions, sources, tree: treeOf(data.tree, functions, sources),
        tasks: rowsOf(data.tasks).map((task) => ({ ...task, idle: task.idle === 1 })), changes: changesOf(data.changes, functions),
        byId: new Map([...sources, ...functions].map((each) => [each.id, each])),
        whole: data.source };
}
