// Profiles as whole stacks: another way to compute every answer than the viewer's columns.
import { Columns, Tree } from "../../../web/model/tree";

export const STRINGS = ["all", "a", "b", "c", "d", "e", "f"];
export const KINDS = { strings: STRINGS.length, types: 2 };

// Weights by stack; a stack is its names joined by "/"; each name has one type here.
export type Stacks = Map<string, number>;

export function add(stacks: Stacks, path: string[], weight: number): void {
    const key = path.join("/");
    stacks.set(key, (stacks.get(key) ?? 0) + weight);
}

export function random(seed: number): () => number {
    return () => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return seed / 2147483648;
    };
}

export function someStacks(seed: number, count = 60): Stacks {
    const draw = random(seed);
    const stacks: Stacks = new Map();
    for (let i = 0; i < count; i++) {
        const path = Array.from({ length: 1 + Math.floor(draw() * 7) }, () => STRINGS[1 + Math.floor(draw() * 6)]);
        add(stacks, path, 1 + Math.floor(draw() * 100));
    }
    return stacks;
}

// Each stack changed; null leaves it out.
export function map(stacks: Stacks, change: (path: string[]) => string[] | null): Stacks {
    const made: Stacks = new Map();
    for (const [key, weight] of stacks) {
        const path = change(key === "" ? [] : key.split("/"));
        if (path) {
            add(made, path, weight);
        }
    }
    return made;
}

export function columnsOf(stacks: Stacks, other?: Stacks): Columns {
    const at = new Map<string, number>([["", 0]]);
    const parent = [0];
    const name = [0];
    const type = [0];
    const node = (path: string[]): number => {
        const key = path.join("/");
        let known = at.get(key);
        if (known === undefined) {
            parent.push(node(path.slice(0, -1)));
            known = name.push(STRINGS.indexOf(path[path.length - 1])) - 1;
            type.push(name[known] % 2);
            at.set(key, known);
        }
        return known;
    };
    const nodes = [stacks, other ?? new Map<string, number>()].map((which) =>
        [...which].map(([key, weight]) => [node(key === "" ? [] : key.split("/")), weight] as const));
    const weights = nodes.map((list) => {
        const column = new Float64Array(parent.length);
        list.forEach(([i, weight]) => { column[i] += weight; });
        return column;
    });
    return {
        parent: Int32Array.from(parent), name: Int32Array.from(name), type: Uint8Array.from(type), self: weights[0],
        other: other ? weights[1] : undefined,
    };
}

export function pathOf({ parent, name }: Pick<Columns, "parent" | "name">, i: number): string[] {
    return i <= 0 ? [] : [...pathOf({ parent, name }, parent[i]), STRINGS[name[i]]];
}

// The stacks of a tree or of columns, in order of their texts.
export function stacksOf(tree: Tree | Columns, column: "self" | "otherSelf" = "self"): [string, number][] {
    const made: Stacks = new Map();
    const weights = (column === "self" ? tree.self : (tree as Tree).otherSelf) as Float64Array;
    weights.forEach((weight, i) => {
        if (weight > 0) {
            add(made, pathOf(tree, i), weight);
        }
    });
    return sorted(made);
}

export function sorted(stacks: Stacks): [string, number][] {
    return [...stacks].sort(([a], [b]) => (a < b ? -1 : 1));
}
