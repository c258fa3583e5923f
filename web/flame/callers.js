// The same samples seen from their leaves: the children of a frame are its callers.
import { buildTree } from "./tree.js";

// Above this many steps of leaves towards the root, small branches are not followed to their end.
const STEPS_LIMIT = 8e6;
const SMALL_SHARE = 2e-6;

// Merges all stacks from their leaves. Returns {tree, cut}: `cut` is the share of the total below which the callers of
// a frame were left out, 0 if none were. In this tree, `self` of a frame is the time of stacks that begin there (or
// whose callers were left out), and `total` is the time of the leaf when called through this chain.
export function callersTree(tree, strings, typeCount) {
    const small = stepsOf(tree) > STEPS_LIMIT ? SMALL_SHARE : 0;
    const out = { parent: [-1], name: [tree.name[0]], type: [tree.type[0]], self: [tree.self[0]] };
    // By name and type: the last node under which a child of that kind was made, and that child.
    const kinds = strings.length * typeCount;
    const keys = { seen: new Int32Array(kinds).fill(-1), node: new Int32Array(kinds) };
    let level = leaves(tree);
    while (level.at.length > 0) {
        level = nextLevel(tree, level, out, keys, typeCount, small * tree.total[0]);
    }
    return { tree: buildTree(out, strings), cut: small };
}

function stepsOf(tree) {
    let steps = 0;
    for (let i = 0; i < tree.count; i++) {
        steps += tree.self[i] > 0 ? tree.depth[i] : 0;
    }
    return steps;
}

// A level is a list of stacks, each at one of its frames (`at`), with its weight and the merged node (`under`) it
// reached so far. Stacks of one node stand together.
function leaves(tree) {
    const at = [];
    for (let i = 1; i < tree.count; i++) {
        if (tree.self[i] > 0) {
            at.push(i);
        }
    }
    return {
        at: Int32Array.from(at),
        weight: Float64Array.from(at, (i) => tree.self[i]),
        under: new Int32Array(at.length),
    };
}

// Appends one level of merged nodes and returns the stacks that go on, one frame nearer to the root.
function nextLevel(tree, level, out, keys, typeCount, small) {
    const { at, weight, under } = level;
    const base = out.parent.length;
    const node = new Int32Array(at.length);
    const sum = [];
    for (let k = 0; k < at.length; k++) {
        const key = tree.name[at[k]] * typeCount + tree.type[at[k]];
        if (keys.seen[key] !== under[k]) {
            keys.seen[key] = under[k];
            keys.node[key] = out.parent.length;
            out.parent.push(under[k]);
            out.name.push(tree.name[at[k]]);
            out.type.push(tree.type[at[k]]);
            out.self.push(0);
            sum.push(0);
        }
        node[k] = keys.node[key];
        sum[node[k] - base] += weight[k];
    }
    return stacksThatGoOn(tree, level, node, { base, sum, small, self: out.self });
}

function stacksThatGoOn(tree, { at, weight }, node, { base, sum, small, self }) {
    const goesOn = (k) => tree.parent[at[k]] > 0 && sum[node[k] - base] >= small;
    const offset = new Int32Array(sum.length + 1);
    for (let k = 0; k < at.length; k++) {
        if (goesOn(k)) {
            offset[node[k] - base + 1]++;
        } else {
            self[node[k]] += weight[k];
        }
    }
    for (let i = 1; i <= sum.length; i++) {
        offset[i] += offset[i - 1];
    }
    const n = offset[sum.length];
    const next = { at: new Int32Array(n), weight: new Float64Array(n), under: new Int32Array(n) };
    for (let k = 0; k < at.length; k++) {
        if (goesOn(k)) {
            const place = offset[node[k] - base]++;
            next.at[place] = tree.parent[at[k]];
            next.weight[place] = weight[k];
            next.under[place] = node[k];
        }
    }
    return next;
}
