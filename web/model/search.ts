// Search over the names of frames.
import { Tree } from "./tree";

export interface Query {
    test: (name: string) => boolean;
}

// What the matching names make of a tree.
export interface Matches {
    frames: number; // how many frames match
    methods: number; // how many different names these have
    weight: number; // the total of all stacks with a match anywhere, each counted once
    before: Int32Array; // before[i] = matches among frames 0 .. i - 1
}

// Compiles a query; case does not count. Returns {test} or, for a regular expression that is none, {error}; null for an
// empty query.
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
        // "Invalid regular expression: /((/iu: Unterminated group": the expression is in sight already.
        const text = String((error as Error).message).replace("Invalid regular expression: ", "");
        return { error: text.replace("/" + query + "/iu: ", "") };
    }
}

// The regular expression that finds one name and no other (but for case).
export function exactQuery(name: string): string {
    return "^" + name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "$";
}

// Which names match: one byte per string.
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

// Matching frames in order of size, the largest first; those of one size by their numbers. No list of them is made: there may be a
// million.

// The match behind (step 1) or before (step -1) a frame in that order, round the end; the first, or the last, from a frame that is no
// match; -1 when there is none.
export function matchBeside({ count, total }: Tree, { before }: Matches, frame: number, step: number): number {
    const own = frame >= 0 && before[frame + 1] > before[frame];
    let beside = -1;
    let first = -1;
    // With step 1 the smaller come later; with step -1 all is the other way round.
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

// The place of a frame in that order, from 1, or 0 when it does not match.
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
