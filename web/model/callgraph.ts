// Makes a graph of the methods in which most of the weight ends, or divides among several that they call: who calls whom, and how much of
// the weight is in these calls. So a method that only calls one other method is left out, as are calls of a method by itself. A stack
// counts once for each method and call.
import { Columns } from "./tree";

export interface CallNode {
    name: number;
    self: number;
    total: number;
    layer: number; // callers are in lower ones, except where methods call each other in a circle
    place: number; // within the layer
}

export interface Call {
    from: number; // index of nodes, like to
    to: number;
    weight: number;
}

export interface CallGraph {
    nodes: CallNode[];
    calls: Call[]; // those with most weight first
    layers: number;
    whole: number;
    others: number; // methods that are not in it
}

const SWEEPS = 8;

// without: the number of a name that is no method; -1 = none.
export function callGraphOf({ parent, name, self }: Pick<Columns, "parent" | "name" | "self">, most: number, without = -1): CallGraph {
    const totals = Float64Array.from(self);
    for (let i = totals.length - 1; i > 0; i--) {
        totals[parent[i]] += totals[i];
    }
    const sums = new Map<number, { self: number; total: number }>();
    const direct = callsOf(parent, name, totals, null);
    const largest = new Map<number, number>(); // of a method: the weight of the method that it calls most
    direct.forEach(({ from, weight }) => largest.set(from, Math.max(weight, largest.get(from) ?? 0)));
    for (let i = 1; i < totals.length; i++) {
        const sum = sums.get(name[i]) ?? { self: 0, total: 0 };
        sum.self += self[i];
        sum.total += isInside(parent, name, i) ? 0 : totals[i];
        sums.set(name[i], sum);
    }
    const ends = ([of, { total }]: [number, { total: number }]) => total - (largest.get(of) ?? 0);
    const seen = [...sums].filter(([of, { total }]) => total > 0 && of !== without)
        .sort((a, b) => ends(b) - ends(a) || b[1].total - a[1].total || a[0] - b[0]);
    const nodes = seen.slice(0, most).map(([of, sum]): CallNode => ({ name: of, ...sum, layer: 0, place: 0 }));
    const nodeOf = new Map(nodes.map((node, i) => [node.name, i]));
    const calls = callsOf(parent, name, totals, nodeOf);
    const layers = arrange(nodes, calls);
    return { nodes, calls, layers, whole: totals[0] ?? 0, others: seen.length - nodes.length };
}

// Whether a frame's method is also one of its callers.
function isInside(parent: Int32Array, name: Int32Array, frame: number): boolean {
    for (let i = parent[frame]; i > 0; i = parent[i]) {
        if (name[i] === name[frame]) {
            return true;
        }
    }
    return false;
}

// Returns the calls between nodes, which `nodeOf` finds by their names; null = each method is a node, whose number is that of its name.
function callsOf(parent: Int32Array, name: Int32Array, totals: Float64Array, nodeOf: Map<number, number> | null): Call[] {
    const find = (of: number) => (nodeOf ? nodeOf.get(of) : of);
    const caller = new Int32Array(totals.length); // the nearest caller that is a node; 0 = none
    const sums = new Map<string, Call>();
    for (let i = 1; i < totals.length; i++) {
        const above = parent[i];
        caller[i] = find(name[above]) !== undefined && above > 0 ? above : caller[above];
        const [from, to] = [find(name[caller[i]]), find(name[i])];
        if (caller[i] === 0 || from === undefined || to === undefined || from === to || isRepeated(parent, name, caller, i)) {
            continue;
        }
        const key = from + " " + to;
        const call = sums.get(key) ?? { from, to, weight: 0 };
        call.weight += totals[i];
        sums.set(key, call);
    }
    return [...sums.values()].filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight || a.from - b.from || a.to - b.to);
}

// Whether the same call is already further up in the stack.
function isRepeated(parent: Int32Array, name: Int32Array, caller: Int32Array, frame: number): boolean {
    for (let i = caller[frame]; i > 0; i = parent[i]) {
        if (name[i] === name[frame] && caller[i] > 0 && name[caller[i]] === name[caller[frame]]) {
            return true;
        }
    }
    return false;
}

// Sets layers and places. Calls that would close a circle do not count for the layers.
function arrange(nodes: CallNode[], calls: Call[]): number {
    const down: number[][] = nodes.map(() => []);
    for (const { from, to } of calls) {
        if (!reaches(down, to, from, new Set())) {
            down[from].push(to);
        }
    }
    const deepen = (at: number, layer: number): void => {
        if (layer > nodes[at].layer) {
            nodes[at].layer = layer;
        }
        down[at].forEach((next) => nodes[next].layer <= nodes[at].layer && deepen(next, nodes[at].layer + 1));
    };
    nodes.forEach((_, i) => deepen(i, 0));
    const layers = 1 + Math.max(0, ...nodes.map(({ layer }) => layer));
    order(nodes, calls, layers);
    return layers;
}

// seen: the nodes that were tried. Without them, each of very many ways would be tried if most methods call most others.
function reaches(down: number[][], from: number, to: number, seen: Set<number>): boolean {
    if (from === to) {
        return true;
    }
    if (seen.has(from)) {
        return false;
    }
    seen.add(from);
    return down[from].some((next) => reaches(down, next, to, seen));
}

// Puts each node near those that it calls, or that call it, so that few lines cross.
function order(nodes: CallNode[], calls: Call[], layers: number): void {
    const rows = Array.from({ length: layers }, (_, layer) => nodes.filter((node) => node.layer === layer));
    const settle = (row: CallNode[]) => row.forEach((node, place) => { node.place = place; });
    rows.forEach(settle);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        const upward = sweep % 2 === 1;
        for (const row of upward ? rows.slice().reverse() : rows) {
            const middle = new Map(row.map((node) => [node, middleOf(nodes, calls, nodes.indexOf(node), upward)]));
            row.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
            settle(row);
        }
    }
}

function middleOf(nodes: CallNode[], calls: Call[], at: number, upward: boolean): number {
    const near = calls.flatMap(({ from, to }) => (upward ? from === at ? [to] : [] : to === at ? [from] : []));
    return near.length === 0 ? nodes[at].place : near.reduce((sum, one) => sum + nodes[one].place, 0) / near.length;
}
