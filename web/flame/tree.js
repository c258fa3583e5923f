// A call tree as columns, numbered level by level from left to right.
//
// Frame 0 is the root. The children of frame i are first[i] .. first[i + 1] - 1, so each level, and each frame's
// descendants on one level, are a range of numbers in which `start` grows. Drawing and hit testing rely on that: both
// look at a level through binary search, and their cost follows the pixels, not the frames.
//
//   parent, name, type   of each frame; the parent of the root is -1
//   selfEffect, ...      how sure these are (figures.js); INDEPENDENT where the columns do not say
//   self, total          in the profile's unit; total = self + the children's totals
//   start                where the frame begins, in the same unit, from the left edge of the root
import { INDEPENDENT } from "./figures.js";

// Builds a tree from columns in which parents come before their children. Siblings are ordered by size, then name.
export function buildTree(columns, strings) {
    const total = totalsOf(columns);
    const order = breadthFirst(columns, total, strings);
    return numbered(columns, total, order);
}

function totalsOf({ parent, self }) {
    const total = Float64Array.from(self);
    for (let i = total.length - 1; i > 0; i--) {
        total[parent[i]] += total[i];
    }
    return total;
}

// The children of each node side by side: those of node i are list[offset[i]] .. list[offset[i + 1] - 1].
function childLists({ parent }) {
    const n = parent.length;
    const offset = new Int32Array(n + 2);
    for (let i = 1; i < n; i++) {
        offset[parent[i] + 2]++;
    }
    for (let i = 2; i <= n + 1; i++) {
        offset[i] += offset[i - 1];
    }
    const list = new Int32Array(n);
    for (let i = 1; i < n; i++) {
        list[offset[parent[i] + 1]++] = i;
    }
    return { offset, list };
}

function breadthFirst(columns, total, strings) {
    const { offset, list } = childLists(columns);
    const { name, type } = columns;
    const text = (i) => strings[name[i]];
    const before = (a, b) =>
        total[b] - total[a] || (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : type[a] - type[b] || a - b);
    const order = new Int32Array(total.length);
    let end = 1;
    for (let at = 0; at < end; at++) {
        const children = list.subarray(offset[order[at]], offset[order[at] + 1]);
        if (children.length > 1) {
            children.sort(before);
        }
        order.set(children, end);
        end += children.length;
    }
    return order;
}

function numbered(columns, total, order) {
    const n = order.length;
    const tree = {
        count: n,
        parent: new Int32Array(n).fill(-1),
        name: new Int32Array(n),
        type: new Uint8Array(n),
        depth: new Int32Array(n),
        self: new Float64Array(n),
        total: new Float64Array(n),
        selfEffect: new Uint16Array(n).fill(INDEPENDENT),
        totalEffect: new Uint16Array(n).fill(INDEPENDENT),
        start: new Float64Array(n),
        first: new Int32Array(n + 1),
    };
    const place = new Int32Array(n);
    order.forEach((old, i) => { place[old] = i; });
    for (let i = 0; i < n; i++) {
        const old = order[i];
        tree.name[i] = columns.name[old];
        tree.type[i] = columns.type[old];
        tree.self[i] = columns.self[old];
        tree.total[i] = total[old];
        if (columns.selfEffect) {
            tree.selfEffect[i] = columns.selfEffect[old];
            tree.totalEffect[i] = columns.totalEffect[old];
        }
        if (i > 0) {
            const up = place[columns.parent[old]];
            tree.parent[i] = up;
            tree.depth[i] = tree.depth[up] + 1;
            tree.start[i] = tree.parent[i - 1] === up ? tree.start[i - 1] + tree.total[i - 1] : tree.start[up];
            tree.first[up + 1]++;
        }
    }
    tree.first[0] = 1;
    for (let i = 0; i < n; i++) {
        tree.first[i + 1] += tree.first[i];
    }
    return tree;
}

// The frame and its ancestors, root first.
export function pathTo(tree, frame) {
    const path = [];
    for (let i = frame; i >= 0; i = tree.parent[i]) {
        path.push(i);
    }
    return path.reverse();
}

export function isAncestor(tree, ancestor, frame) {
    let i = frame;
    while (i >= 0 && tree.depth[i] > tree.depth[ancestor]) {
        i = tree.parent[i];
    }
    return i === ancestor;
}

// The descendants of a frame, as one range {from, to} per level, the frame's own level first.
export function levelsUnder(tree, frame) {
    const levels = [];
    for (let from = frame, to = frame + 1; from < to; [from, to] = [tree.first[from], tree.first[to]]) {
        levels.push({ from, to });
    }
    return levels;
}

// The first frame of [from, to) that starts at or after `value`, or `to`.
export function firstStartingAt(tree, value, from, to) {
    while (from < to) {
        const middle = (from + to) >>> 1;
        if (tree.start[middle] < value) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

// The frame of [from, to) that covers `value`, or -1.
export function frameCovering(tree, value, from, to) {
    let i = firstStartingAt(tree, value, from, to);
    if (i === to || tree.start[i] > value) {
        i--;
    }
    // Frames without weight share their start with a neighbour and cover nothing.
    while (i >= from && tree.total[i] === 0 && tree.start[i] === value) {
        i--;
    }
    return i >= from && value < tree.start[i] + tree.total[i] ? i : -1;
}
