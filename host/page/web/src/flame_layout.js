// SPDX-License-Identifier: MIT
// Where the nodes of the tree are. A level's nodes are sorted from left to right, so that only the
// nodes in sight are looked at, and only one of those that share a pixel.

/** The first node of a level that ends beyond x. */
export function firstBeyond(level, x) {
    let low = 0, high = level.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (level[middle].from + level[middle].count <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

export function nodeAt(levels, depth, x) {
    const level = levels[depth], node = level?.[firstBeyond(level, x)];
    return node && node.from <= x ? node : null;
}

export const parentOf = (levels, node) =>
    (node.depth > 0 ? nodeAt(levels, node.depth - 1, node.from) : null);

/** The nodes above a node, the outermost first, then itself. */
export function pathOf(levels, node) {
    return Array.from({ length: node.depth + 1 }, (_, depth) => nodeAt(levels, depth, node.from));
}

/** Names a path of frames by their names, so that it means the same in other captures and builds. */
export const nameOfPath = (frames) =>
    frames.map((name) => name.replace(/[%;]/g, encodeURIComponent)).join(";");
export const nameOf = (levels, node) =>
    nameOfPath(pathOf(levels, node).map(({ frame }) => frame.name));

/** The node of a path that nameOf() has named, or null. */
export function nodeNamed(levels, text) {
    let node = null;
    for (const [depth, part] of (text ?? "").split(";").entries()) {
        const level = levels[depth] ?? [], end = node ? node.from + node.count : Infinity;
        let i = firstBeyond(level, node?.from ?? 0);
        while (level[i]?.from < end && nameOfPath([level[i].frame.name]) !== part)
            i++;
        if (!(level[i]?.from < end))
            return null;
        node = level[i];
    }
    return node;
}

/** The widest node of a level in [from, end), or null. */
export function widestOf(level, from, end) {
    let widest = null;
    for (let i = firstBeyond(level, from); i < level.length && level[i].from < end; i++)
        if (widest === null || level[i].count > widest.count)
            widest = level[i];
    return widest;
}

/** The widest node below a node, or null. */
export const childOf = (levels, node) =>
    widestOf(levels[node.depth + 1] ?? [], node.from, node.from + node.count);

/** The node beside a node, `by` places on, or null. */
export function besideOf(levels, node, by) {
    const level = levels[node.depth];
    return level[firstBeyond(level, node.from) + by] ?? null;
}

/** Calls take(node, x, width) for the nodes of a level in [from, to), `scale` pixels a count. */
export function forEachVisible(level, from, to, scale, take) {
    for (let i = firstBeyond(level, from); i < level.length && level[i].from < to;) {
        const node = level[i], left = Math.max(node.from, from);
        const width = (Math.min(node.from + node.count, to) - left) * scale;
        take(node, (left - from) * scale, width);
        i = width >= 0.6 ? i + 1 : Math.max(i + 1, firstBeyond(level, node.from + 0.6 / scale));
    }
}

/** The counts of all outermost nodes that match. */
export function matchedOf(levels, matches) {
    let sum = 0;
    let covered = []; // [from, end) of those found above, from left to right
    for (const level of levels) {
        const found = [];
        let above = 0;
        for (const node of level) {
            while (above < covered.length && covered[above][1] <= node.from)
                found.push(covered[above++]);
            if (above < covered.length && covered[above][0] <= node.from)
                continue;
            if (matches(node.frame)) {
                found.push([node.from, node.from + node.count]);
                sum += node.count;
            }
        }
        covered = found.concat(covered.slice(above));
    }
    return sum;
}
