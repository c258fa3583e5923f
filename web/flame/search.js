// Search over the names of frames.

// Compiles a query; case does not count. Returns {test} or, for a regular expression that is none, {error}; null for an
// empty query.
export function compileQuery(query, isRegex) {
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
        return { error: error.message.replace(/^Invalid regular expression: /, "") };
    }
}

// The regular expression that finds one name and no other (but for case).
export function exactQuery(name) {
    return "^" + name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "$";
}

// Which names match: one byte per string.
export function matchNames(strings, { test }) {
    return Uint8Array.from(strings, (name) => (test(name) ? 1 : 0));
}

// What the matching names make of a tree:
//   frames    how many frames match
//   methods   how many different names these have
//   weight    the total of all stacks with a match anywhere, each counted once
//   before    before[i] = matches among frames 0 .. i - 1
export function matchFrames(tree, names) {
    const covered = new Uint8Array(tree.count);
    const before = new Int32Array(tree.count + 1);
    const methods = new Set();
    let weight = 0;
    for (let i = 1; i < tree.count; i++) {
        const match = names[tree.name[i]];
        before[i + 1] = before[i] + match;
        covered[i] = covered[tree.parent[i]];
        if (match) {
            methods.add(tree.name[i]);
            weight += covered[i] ? 0 : tree.total[i];
            covered[i] = 1;
        }
    }
    return { frames: before[tree.count], methods: methods.size, weight, before };
}

// The matching frames, the largest first.
export function matchesBySize(tree, { before, frames }) {
    const list = new Int32Array(frames);
    for (let i = 0, k = 0; k < frames; i++) {
        if (before[i + 1] > before[i]) {
            list[k++] = i;
        }
    }
    return list.sort((a, b) => tree.total[b] - tree.total[a] || a - b);
}

// The place of a frame in that list, from 1, or 0 when it does not match. Counts, and so needs no list.
export function placeBySize(tree, { before }, frame) {
    const matches = (i) => i >= 0 && before[i + 1] > before[i];
    if (!matches(frame)) {
        return 0;
    }
    let place = 1;
    for (let i = 0; i < tree.count; i++) {
        const larger = tree.total[i] > tree.total[frame] || (tree.total[i] === tree.total[frame] && i < frame);
        place += matches(i) && larger ? 1 : 0;
    }
    return place;
}
