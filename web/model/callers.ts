// Builds the tree of callers: the same samples, seen from their leaves. The children of a frame are its callers.
import { Kinds } from "./filters";
import { Columns, Tree, buildTree } from "./tree";

// If the stacks have more steps from leaves to the root than this, small branches are not followed to their end.
const STEPS_LIMIT = 8e6;
const SMALL_SHARE = 2e-6;

// Stacks on their way to the root. Each has its current frame (`at`), its weight, and the merged frame (`under`) that it has reached so
// far. Stacks with the same merged frame are next to each other.
interface Level {
    at: Int32Array;
    weight: Float64Array;
    other: Float64Array;
    under: Int32Array;
}

interface Out {
    parent: number[];
    name: number[];
    type: number[];
    self: number[];
    other: number[];
}

// `cut` is the share of the total below which the callers of a frame were left out; 0 = none were left out.
export interface Callers {
    tree: Tree;
    cut: number;
}

// Merges all stacks from their leaves. In this tree, `self` of a frame is the weight of stacks that begin there, or whose callers were left
// out. `total` is the weight of the leaf when it is called through this chain. `least`: the share of the total below which callers are left
// out in any case.
export function callersTree(tree: Tree, strings: string[], kinds: Kinds, least = 0): Callers {
    const at: number[] = [];
    for (let i = 1; i < tree.count; i++) {
        if (tree.self[i] > 0 || (tree.otherSelf && tree.otherSelf[i] > 0)) {
            at.push(i);
        }
    }
    return mergeUpwards(tree, strings, kinds, -1, { at, weight: tree.self, other: tree.otherSelf }, least);
}

// Builds the tree of a method's callers, above the outermost of its calls in each stack. The root is the method.
export function callersOf(tree: Tree, strings: string[], kinds: Kinds, method: number, calls: number[], least = 0): Callers {
    return mergeUpwards(tree, strings, kinds, method, { at: calls, weight: tree.total, other: tree.otherTotal }, least);
}

interface Stacks {
    at: number[];
    weight: Float64Array;
    other: Float64Array | null;
}

// Merges stacks upwards. A stack begins at its frame or, if the root is a method, at the caller of its frame.
function mergeUpwards(tree: Tree, strings: string[], kinds: Kinds, root: number, stacks: Stacks, least: number): Callers {
    let steps = 0;
    stacks.at.forEach((i) => { steps += tree.depth[i]; });
    const cut = Math.max(least, steps > STEPS_LIMIT ? SMALL_SHARE : 0);
    const out: Out = { parent: [0], name: [tree.name[0]], type: [tree.type[0]], self: [0], other: [0] };
    // By name and type: the last frame under which a child of that kind was made, and this child.
    const all = kinds.strings * kinds.types;
    const keys: Keys = { seen: new Int32Array(all).fill(-1), frame: new Int32Array(all), types: kinds.types };
    const { at, other } = stacks;
    let level: Level = {
        at: Int32Array.from(at),
        weight: Float64Array.from(at, (i) => stacks.weight[i]),
        other: Float64Array.from(at, (i) => (other ? other[i] : 0)),
        under: new Int32Array(at.length),
    };
    if (root < 0) {
        out.self[0] = tree.self[0];
        out.other[0] = tree.otherSelf ? tree.otherSelf[0] : 0;
    } else {
        out.name[0] = root;
        out.type[0] = at.length > 0 ? tree.type[at[0]] : 0;
        level = oneUp(tree, level, new Int32Array(at.length), { base: 0, sum: [Infinity], small: 0, out });
    }
    while (level.at.length > 0) {
        level = nextLevel(tree, level, out, keys, cut * tree.total[0]);
    }
    const columns: Columns = {
        parent: Int32Array.from(out.parent),
        name: Int32Array.from(out.name),
        type: Uint8Array.from(out.type),
        self: Float64Array.from(out.self),
        other: other ? Float64Array.from(out.other) : undefined,
    };
    return { tree: buildTree(columns, strings, root), cut };
}

interface Keys {
    seen: Int32Array;
    frame: Int32Array;
    types: number;
}

// Appends one level of merged frames. Returns the stacks that go on, one frame nearer to the root.
function nextLevel(tree: Tree, level: Level, out: Out, keys: Keys, small: number): Level {
    const { at, weight, other, under } = level;
    const base = out.parent.length;
    const frame = new Int32Array(at.length);
    const sum: number[] = [];
    for (let k = 0; k < at.length; k++) {
        const key = tree.name[at[k]] * keys.types + tree.type[at[k]];
        if (keys.seen[key] !== under[k]) {
            keys.seen[key] = under[k];
            keys.frame[key] = out.parent.length;
            out.parent.push(under[k]);
            out.name.push(tree.name[at[k]]);
            out.type.push(tree.type[at[k]]);
            out.self.push(0);
            out.other.push(0);
            sum.push(0);
        }
        frame[k] = keys.frame[key];
        sum[frame[k] - base] += weight[k] + other[k];
    }
    return oneUp(tree, level, frame, { base, sum, small, out });
}

// Moves the stacks one frame up. frame[k] is the merged frame of stack k. Merged frames of this level begin at `base`, and `sum` has their
// weights.
function oneUp(tree: Tree, { at, weight, other }: Level, frame: Int32Array,
    { base, sum, small, out }: { base: number; sum: number[]; small: number; out: Out }): Level {
    const goesOn = (k: number) => tree.parent[at[k]] > 0 && sum[frame[k] - base] >= small;
    const offset = new Int32Array(sum.length + 1);
    for (let k = 0; k < at.length; k++) {
        if (goesOn(k)) {
            offset[frame[k] - base + 1]++;
        } else {
            out.self[frame[k]] += weight[k];
            out.other[frame[k]] += other[k];
        }
    }
    for (let i = 1; i <= sum.length; i++) {
        offset[i] += offset[i - 1];
    }
    const n = offset[sum.length];
    const next: Level = {
        at: new Int32Array(n), weight: new Float64Array(n), other: new Float64Array(n), under: new Int32Array(n),
    };
    for (let k = 0; k < at.length; k++) {
        if (goesOn(k)) {
            const place = offset[frame[k] - base]++;
            next.at[place] = tree.parent[at[k]];
            next.weight[place] = weight[k];
            next.other[place] = other[k];
            next.under[place] = frame[k];
        }
    }
    return next;
}
