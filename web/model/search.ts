// Searches the names of frames.
import { Tree } from "./tree";

export interface Query {
    test: (name: string) => boolean;
}

// The matches of a search in a tree.
export interface Matches {
    frames: number; // number of frames that match
    methods: number; // number of different methods among these frames
    weight: number; // the total weight of all stacks with a match anywhere; each stack counts once
    before: Int32Array; // before[i] = number of matches among frames 0 .. i - 1
}

// Compiles a query. Case is ignored. Returns {test}, or {error} if the regular expression is not valid. Returns null for an empty query.
export function compileQuery(query: string, isRegex: boolean): Query | { error: string } | null {
    if (query === "") {
        return null;
    }
    if (!isRegex) {
        const wanted = query.toLowerCase();
        return { test: (name) => name.toLowerCase().includes(wanted) };
    }
    try {
        const pattern = new RegExp(query, "iu");
        return { test: (name) => pattern.test(name) };
    } catch (error) {
        // The message is, for example, "Invalid regular expression: /((/iu: Unterminated group". The expression is visible already.
        const text = String((error as Error).message).replace("Invalid regular expression: ", "");
        return { error: text.replace("/" + query + "/iu: ", "") };
    }
}

// Returns the regular expression that finds exactly one name (apart from case).
export function exactQuery(name: string): string {
    return "^" + name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "$";
}

// Returns which names match: one byte per string.
export function matchNames(strings: string[], { test }: Query): Uint8Array {
    return Uint8Array.from(strings.map((name) => (test(name) ? 1 : 0)));
}

export function matchFrames(tree: Tree, names: Uint8Array): Matches {
    const covered = new Uint8Array(tree.count);
    const before = new Int32Array(tree.count + 1);
    const methods = new Uint8Array(names.length);
    let weight = 0;
    // A method at the root is in every stack.
    const root = tree.root >= 0 ? names[tree.root] : 0;
    before[1] = covered[0] = root;
    if (root) {
        methods[tree.root] = 1;
        weight = tree.total[0];
    }
    for (let i = 1; i < tree.count; i++) {
        const match = names[tree.name[i]];
        before[i + 1] = before[i] + match;
        covered[i] = covered[tree.parent[i]];
        if (match) {
            methods[tree.name[i]] = 1;
            weight += covered[i] ? 0 : tree.total[i];
            covered[i] = 1;
        }
    }
    return { frames: before[tree.count], methods: methods.reduce((sum, is) => sum + is, 0), weight, before };
}

// Below, matching frames are ordered by size, the largest first; frames of the same size are ordered by their numbers. No list of them is
// made, because there may be a million.

// Returns the match after a frame (step 1) or before it (step -1) in this order. After the last match, it starts again with the first. If
// the frame is not a match, returns the first match, or the last. Returns -1 if there is none.
export function matchBeside({ count, total }: Tree, { before }: Matches, frame: number, step: number): number {
    const own = frame >= 0 && before[frame + 1] > before[frame];
    let beside = -1;
    let first = -1;
    // With step 1, smaller frames are later. With step -1, the order is reversed.
    const isLater = (a: number, b: number) => (total[a] === total[b] ? (a - b) * step > 0 : (total[b] - total[a]) * step > 0);
    for (let i = 0; i < count; i++) {
        if (before[i + 1] === before[i]) {
            continue;
        }
        if (first < 0 || isLater(first, i)) {
            first = i;
        }
        if (own && isLater(i, frame) && (beside < 0 || isLater(beside, i))) {
            beside = i;
        }
    }
    return beside >= 0 ? beside : first;
}

// Returns the place of a frame in this order, from 1. Returns 0 if the frame does not match.
export function placeBySize({ count, total }: Tree, { before }: Matches, frame: number): number {
    if (frame < 0 || before[frame + 1] === before[frame]) {
        return 0;
    }
    const own = total[frame];
    let place = 1;
    for (let i = 0; i < count; i++) {
        if (before[i + 1] > before[i] && (total[i] > own || (total[i] === own && i < frame))) {
            place++;
        }
    }
    return place;
}
