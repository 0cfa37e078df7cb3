// SPDX-License-Identifier: MIT
// Trees that are merged from the tree of paths: the other way round, from where the time went to who
// called that; and what is around one function. A merged node is looked into when it is in sight.
import { firstBeyond, nameOfPath } from "./flame_layout.js";

const SMALL = 4000; // what is less than this part of what is in sight is not looked into

/** Gives each node its parent, and the count that is its own, once. */
function link(levels) {
    if (levels.linked)
        return;
    levels.linked = true;
    for (const level of levels)
        for (const node of level)
            node.self = node.count;
    for (let depth = 1; depth < levels.length; depth++) {
        let above = 0;
        const parents = levels[depth - 1];
        for (const node of levels[depth]) {
            while (parents[above].from + parents[above].count <= node.from)
                above++;
            node.parent = parents[above];
            node.parent.self -= node.count;
        }
    }
}

/** Merges [node, count] by frame, the largest first, from `from` on. */
function merged(members, depth, from) {
    const byFrame = new Map();
    for (const member of members) {
        const { frame, isTask } = member[0];
        const known = byFrame.get(frame);
        if (known) {
            known.count += member[1];
            known.members.push(member);
        } else
            byFrame.set(frame, { depth, frame, from: 0, count: member[1], members: [member], isTask });
    }
    const nodes = [...byFrame.values()].sort((a, b) => b.count - a.count);
    for (const node of nodes) {
        node.from = from;
        from += node.count;
    }
    return nodes;
}

const callersIn = () => ([node, count]) => (node.parent ? [[node.parent, count]] : []);

function calleesIn(levels) {
    return ([node]) => {
        const below = levels[node.depth + 1] ?? [], found = [];
        for (let i = firstBeyond(below, node.from);
            i < below.length && below[i].from < node.from + node.count; i++)
            found.push([below[i], below[i].count]);
        return found;
    };
}

class Merged {
    constructor(members, next) {
        this.next = next;
        this.roots = merged(members, 0, 0);
        this.total = this.roots.reduce((sum, { count }) => sum + count, 0);
    }

    below(node) {
        return node.below ??= merged(node.members.flatMap(this.next), node.depth + 1, node.from);
    }

    /** The node of a path that nameOf() has named, or null. */
    named(text) {
        let level = this.roots, node = null;
        for (const part of (text ?? "").split(";")) {
            node = level.find(({ frame }) => nameOfPath([frame.name]) === part) ?? null;
            if (!node)
                return null;
            level = this.below(node);
        }
        return node;
    }

    /** All levels that are in sight, and the way to them. */
    levels(zoom) {
        const from = zoom?.from ?? 0, to = from + (zoom?.count ?? this.total), levels = [];
        const inSight = (node) => node.from < to && node.from + node.count > from &&
            (node.count >= (to - from) / SMALL || zoom && node.depth < zoom.depth);
        for (let level = this.roots; level.length > 0;
            level = level.filter(inSight).flatMap((node) => this.below(node)))
            levels.push(level);
        return levels;
    }
}

/** Bottom-up: the frames that ran, below each who called it. */
export function bottomUpOf({ levels }) {
    link(levels);
    return new Merged(levels.flatMap((level) => level.filter(({ self }) => self > 0)
        .map((node) => [node, node.self])), callersIn());
}

/** The outermost frames that match: who called them, and whom they call. */
export function aroundOf({ levels }, matches) {
    link(levels);
    const found = [];
    for (const level of levels)
        for (const node of level) {
            node.within = node.parent ? node.parent.within || matches(node.parent.frame) : false;
            if (!node.within && matches(node.frame))
                found.push([node, node.count]);
        }
    return { callers: new Merged(found, callersIn()), callees: new Merged(found, calleesIn(levels)) };
}
