// Builds a call tree as columns. Frames are numbered level by level, from left to right.
//
// Frame 0 is the root. The children of frame i are first[i] .. first[i + 1] - 1. So each level, and a frame's descendants on one level, are
// a range of numbers in which `start` grows. Drawing and hit testing rely on that: both use binary search in a level, so their cost depends
// on the pixels, not on the frames.
import { INDEPENDENT } from "./figures";

// Frames in any order in which parents come before their children. Frame 0 is the root, and its own parent.
export interface Columns {
    parent: Int32Array;
    name: Int32Array;
    type: Uint8Array;
    self: Float64Array;
    // For a comparison: the weights of the other profile.
    other?: Float64Array | undefined;
    // How certain the figures are (figures.ts). undefined = INDEPENDENT.
    selfEffect?: Uint16Array | undefined;
    totalEffect?: Uint16Array | undefined;
    // How many other frames of equal width a frame stands for. undefined = none.
    folded?: Uint16Array | undefined;
    // By frame of the profile: the frame here that its samples belong to, or -1 if they were dropped. Kept only for time order (order.ts).
    place?: Int32Array | undefined;
}

export interface Tree {
    count: number;
    // The name of the method that all stacks have at frame 0. -1 = frame 0 stands for all stacks.
    root: number;
    parent: Int32Array; // -1 for the root
    name: Int32Array;
    type: Uint8Array;
    depth: Int32Array;
    self: Float64Array; // in the profile's unit
    total: Float64Array; // self + the children's totals
    otherSelf: Float64Array | null;
    otherTotal: Float64Array | null;
    selfEffect: Uint16Array | null;
    totalEffect: Uint16Array | null;
    folded: Uint16Array | null;
    start: Float64Array; // where the frame begins, in the same unit, from the left edge of the root
    first: Int32Array;
    timed: Timed | null; // the frames are in order of time; null = they are in order of size
}

// When the frames of a tree in order of time were seen.
export interface Timed {
    from: Int32Array; // the first bucket of time
    to: Int32Array; // the one after the last
    step: number; // the buckets within which the order is unknown
}

export interface Range {
    from: number;
    to: number;
}

// Builds a tree. Siblings are ordered by size, then name.
export function buildTree(columns: Columns, strings: string[], root = -1): Tree {
    const total = totalsOf(columns.parent, columns.self);
    const order = isOrdered(columns.parent, total) ? null : breadthFirst(columns, total, strings);
    return numbered(columns, total, order, root);
}

export function totalsOf(parent: Int32Array, self: Float64Array): Float64Array {
    const total = new Float64Array(self);
    for (let i = total.length - 1; i > 0; i--) {
        total[parent[i]] += total[i];
    }
    return total;
}

// Whether the frames are already ordered level by level, and siblings by size, as those of a recording are.
function isOrdered(parent: Int32Array, total: Float64Array): boolean {
    for (let i = 2; i < parent.length; i++) {
        if (parent[i] < parent[i - 1] || (parent[i] === parent[i - 1] && total[i] > total[i - 1])) {
            return false;
        }
    }
    return true;
}

// Lists the children of each node next to each other. The children of node i are list[offset[i]] .. list[offset[i + 1] - 1].
function childLists(parent: Int32Array): { offset: Int32Array; list: Int32Array } {
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

function breadthFirst({ parent, name, type }: Columns, total: Float64Array, strings: string[]): Int32Array {
    const { offset, list } = childLists(parent);
    const text = (i: number) => strings[name[i]];
    const before = (a: number, b: number) =>
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

export interface Values {
    readonly length: number;
    [place: number]: number;
}

// Returns the values that `order` names, in this order. null = all values in their present order.
export function reorder<T extends Values>(values: T, order: Int32Array | null): T {
    if (!order) {
        return values;
    }
    const made = new (values.constructor as new (length: number) => T)(order.length);
    for (let i = 0; i < order.length; i++) {
        made[i] = values[order[i]];
    }
    return made;
}

function placesOf(order: Int32Array): Int32Array {
    const place = new Int32Array(order.length);
    order.forEach((old, i) => { place[old] = i; });
    return place;
}

function numbered(columns: Columns, total: Float64Array, order: Int32Array | null, root: number): Tree {
    const n = total.length;
    const place = order ? placesOf(order) : null;
    const moved = <T extends Values>(values: T | undefined) => (values ? reorder(values, order) : null);
    const tree: Tree = {
        count: n,
        root,
        parent: new Int32Array(n),
        name: reorder(columns.name, order),
        type: reorder(columns.type, order),
        depth: new Int32Array(n),
        self: reorder(columns.self, order),
        total: reorder(total, order),
        otherSelf: moved(columns.other),
        otherTotal: columns.other ? reorder(totalsOf(columns.parent, columns.other), order) : null,
        selfEffect: moved(columns.selfEffect),
        totalEffect: moved(columns.totalEffect),
        folded: moved(columns.folded),
        start: new Float64Array(n),
        first: new Int32Array(n + 1),
        timed: null,
    };
    tree.parent[0] = -1;
    for (let i = 1; i < n; i++) {
        const old = order ? columns.parent[order[i]] : columns.parent[i];
        const up = place ? place[old] : old;
        tree.parent[i] = up;
        tree.depth[i] = tree.depth[up] + 1;
        tree.start[i] = tree.parent[i - 1] === up ? tree.start[i - 1] + tree.total[i - 1] : tree.start[up];
        tree.first[up + 1]++;
    }
    tree.first[0] = 1;
    for (let i = 0; i < n; i++) {
        tree.first[i + 1] += tree.first[i];
    }
    return tree;
}

export function selfEffect(tree: Tree, frame: number): number {
    return tree.selfEffect ? tree.selfEffect[frame] : INDEPENDENT;
}

export function totalEffect(tree: Tree, frame: number): number {
    return tree.totalEffect ? tree.totalEffect[frame] : INDEPENDENT;
}

// Returns the frame and its ancestors, the root first.
export function pathTo(tree: Tree, frame: number): number[] {
    const path: number[] = [];
    for (let i = frame; i >= 0; i = tree.parent[i]) {
        path.push(i);
    }
    return path.reverse();
}

// Returns the frame to show next on the way from the zoomed frame to one that it has called: the first narrower one. Returns `zoom` if
// there is none.
export function zoomInto(tree: Tree, zoom: number, frame: number): number {
    const path = frame < 0 ? [] : pathTo(tree, frame);
    const way = path[tree.depth[zoom]] === zoom ? path.slice(tree.depth[zoom] + 1) : [];
    return way.find((next) => tree.total[next] < tree.total[zoom]) ?? zoom;
}

// Returns the first wider caller of the zoomed frame, or the root.
export function zoomOut(tree: Tree, zoom: number): number {
    let up = zoom;
    while (up > 0 && tree.total[up] <= tree.total[zoom]) {
        up = tree.parent[up];
    }
    return up;
}

// Returns the descendants of a frame, as one range {from, to} per level. The frame's own level comes first.
export function levelsUnder(tree: Tree, frame: number): Range[] {
    const levels: Range[] = [];
    for (let from = frame, to = frame + 1; from < to; [from, to] = [tree.first[from], tree.first[to]]) {
        levels.push({ from, to });
    }
    return levels;
}

// Returns the first frame of [from, to) that starts at or after `value`, or `to` if there is none.
export function firstStartingAt(tree: Tree, value: number, from: number, to: number): number {
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

// Returns the frame of [from, to) that covers `value`, or -1.
export function frameCovering(tree: Tree, value: number, from: number, to: number): number {
    let i = firstStartingAt(tree, value, from, to);
    if (i === to || tree.start[i] > value) {
        i--;
    }
    // A frame without weight has the same start as a neighbor, and covers nothing.
    while (i >= from && tree.total[i] === 0 && tree.start[i] === value) {
        i--;
    }
    return i >= from && value < tree.start[i] + tree.total[i] ? i : -1;
}
