// What is around a method in the stacks: who calls it, and what it calls. A stack counts once, even if the method calls itself: its
// caller is the one of the outermost call, and its callee the one of the innermost call. So the weights of the callers add up to the
// method's total, and so do the method's own weight and those of the callees.
import { Columns } from "./tree";

export interface Neighbour {
    name: number; // 0 = the root: the thread begins with the method
    weight: number;
}

export interface Around {
    self: number;
    total: number;
    callers: Neighbour[]; // those with most weight first
    callees: Neighbour[];
}

export function aroundOf({ parent, name, self }: Pick<Columns, "parent" | "name" | "self">, method: number): Around {
    const count = parent.length;
    const caller = new Int32Array(count).fill(-1); // of the outermost call in the stack; -1 = none
    const callee = new Int32Array(count).fill(-1); // of the innermost call; -1 = the method itself
    const callers = new Map<number, number>();
    const callees = new Map<number, number>();
    const made: Around = { self: 0, total: 0, callers: [], callees: [] };
    for (let i = 1; i < count; i++) {
        const above = parent[i];
        caller[i] = caller[above] < 0 && name[i] === method ? (above === 0 ? 0 : name[above]) : caller[above];
        callee[i] = name[i] === method ? -1 : name[above] === method ? name[i] : callee[above];
        if (caller[i] < 0 || self[i] === 0) {
            continue;
        }
        made.total += self[i];
        made.self += callee[i] < 0 ? self[i] : 0;
        callers.set(caller[i], (callers.get(caller[i]) ?? 0) + self[i]);
        if (callee[i] >= 0) {
            callees.set(callee[i], (callees.get(callee[i]) ?? 0) + self[i]);
        }
    }
    made.callers = ordered(callers);
    made.callees = ordered(callees);
    return made;
}

function ordered(sums: Map<number, number>): Neighbour[] {
    return [...sums].map(([name, weight]) => ({ name, weight })).sort((a, b) => b.weight - a.weight || a.name - b.name);
}
