// Computes the facts for the sentence that summarizes a profile: which code other than Java's has much weight, and which method has most.
import { HOLDER_RUNS, JVM_WORK, kindOfCode } from "./names";
import { OwnCode, isNoPlace, isOwnFrame } from "./own";
import { Columns } from "./tree";

export interface Answer {
    outside: { label: string; weight: number } | null; // the largest kind of code other than Java's; all code below a frame that says
                                                       // what the JVM works at (GC, compilation) is the JVM's work
    method: { name: number; weight: number; own: boolean } | null; // own: it is the program's, and its weight includes the code
                                                                   // below it that is not the program's. Otherwise: its self weight
}

export function answerOf(columns: Columns, types: string[], strings: string[], code: OwnCode | null): Answer {
    const { parent, name, type, self } = columns;
    const kinds = types.map(kindOfCode);
    const outside = new Map<string, number>();
    const own = new Float64Array(strings.length);
    const innermost = new Int32Array(parent.length); // the name of the innermost own method of a stack; 0 = none
    const java = new Float64Array(strings.length);
    const isJvmWork = new Uint8Array(parent.length);
    for (let i = 1; i < parent.length; i++) {
        innermost[i] = code && isOwnFrame(code, columns, i) ? name[i] : innermost[parent[i]];
        const place = types[type[i]] === "Class" ? parent[i] : i;
        isJvmWork[i] = isJvmWork[parent[i]] | Number(kinds[type[i]] === JVM_WORK);
        const kind = kinds[type[place]] !== null && isJvmWork[i] ? JVM_WORK : kinds[type[place]];
        own[innermost[i]] += self[i];
        if (kind === null) {
            java[name[place]] += self[i];
        } else if (kind === HOLDER_RUNS || !isNoPlace(kind)) {
            outside.set(kind, (outside.get(kind) ?? 0) + self[i]);
        }
    }
    own[0] = 0;
    const [label, weight] = [...outside].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
    return { outside: weight > 0 ? { label, weight } : null, method: largest(own, true) ?? largest(java, false) };
}

function largest(weights: Float64Array, own: boolean): Answer["method"] {
    let name = 0;
    for (let i = 1; i < weights.length; i++) {
        name = weights[i] > weights[name] ? i : name;
    }
    return weights[name] > 0 ? { name, weight: weights[name], own } : null;
}
