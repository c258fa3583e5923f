// Builds a sandwich: one method in the middle, its callers above it, and the code that it calls below it. A stack in which the method calls
// itself counts once, from the outermost call.
import { Callers, callersOf } from "./callers";
import { Kinds } from "./filters";
import { Merge } from "./merge";
import { Tree, buildTree } from "./tree";

export interface Sandwich {
    callers: Callers;
    callees: Tree;
}

export function sandwich(tree: Tree, strings: string[], kinds: Kinds, method: number, least = 0): Sandwich {
    const calls = outermostCalls(tree, method);
    return { callers: callersOf(tree, strings, kinds, method, calls, least), callees: calleesOf(tree, strings, method, calls) };
}

function outermostCalls({ count, parent, name }: Tree, method: number): number[] {
    const inside = new Uint8Array(count);
    const calls: number[] = [];
    for (let i = 1; i < count; i++) {
        inside[i] = inside[parent[i]];
        if (!inside[i] && name[i] === method) {
            inside[i] = 1;
            calls.push(i);
        }
    }
    return calls;
}

function calleesOf(tree: Tree, strings: string[], method: number, calls: number[]): Tree {
    const { count, parent, name, type, self, otherSelf } = tree;
    const merge = new Merge(method, calls.length > 0 ? type[calls[0]] : 0, otherSelf !== null);
    const target = new Int32Array(count).fill(-1);
    calls.forEach((i) => { target[i] = 0; });
    for (let i = 1; i < count; i++) {
        if (target[i] < 0 && target[parent[i]] >= 0) {
            target[i] = merge.child(target[parent[i]], name[i], type[i]);
        }
        if (target[i] >= 0) {
            merge.add(target[i], self[i], otherSelf ? otherSelf[i] : 0);
        }
    }
    return buildTree(merge.columns(), strings, method);
}
