// The viewer's model, compared with whole stacks.
import { deflateSync } from "zlib";
import { groupFrames } from "../../../web/draw/colours";
import { stepColour } from "../../../web/draw/heat";
import { markText, roundSteps } from "../../../web/fleet/chart";
import { rateText } from "../../../web/fleet/kinds";
import { answerOf } from "../../../web/model/answer";
import { aroundOf } from "../../../web/model/around";
import { Bounds, readVarints } from "../../../web/model/bytes";
import { callersTree } from "../../../web/model/callers";
import { foldChains } from "../../../web/model/chains";
import { changeOf } from "../../../web/model/changes";
import { filterColumns } from "../../../web/model/filters";
import { inflate, inflateHere } from "../../../web/model/inflate";
import { sumMethods } from "../../../web/model/methods";
import { packageOf, splitName, visibleName } from "../../../web/model/names";
import { ownCode, ownFirst, ownShare } from "../../../web/model/own";
import { lanesOf, rowsOf } from "../../../web/model/lanes";
import { sandwich } from "../../../web/model/sandwich";
import { compileQuery, matchFrames, matchNames } from "../../../web/model/search";
import { STATES, Slices, selectColumns, threadColumns } from "../../../web/model/slices";
import { gridOf } from "../../../web/model/timeline";
import { buildTree, totalsOf } from "../../../web/model/tree";
import { readAddress, writeAddress } from "../../../web/page/state";
import { KINDS, STRINGS, Stacks, add, columnsOf, map, random, someStacks, sorted, stacksOf } from "./stacks";
import { done, ok, same } from "./tap";
import { calls } from "./calls";
import { coarse } from "./coarse";
import { order } from "./order";
import { sources } from "./sources";
import { spans } from "./spans";
import { traces } from "./traces";
import { why } from "./why";

const NO_FILTER = { focus: [], drop: [], hide: [], recursion: false };

function marks(): void {
    const texts = (most: number) => roundSteps(most, 4).map(markText).join(" ");
    same(stepColour("dark", 0 / 0), stepColour("dark", 0), "a time in which nothing ran is not black");
    same([1.2e6, 3, 0.00013].map(texts), ["0 500000 1e+6 1.5e+6", "0 1 2 3", "0 5e-5 0.0001 1.5e-4"], "marks of an axis are exact");
    same([0, 0 / 0].map(texts), ["0", "0"], "an axis without values has only 0");
    same([["lock:ns", 1e9], ["cpu:ns", 1e9], ["lock:ns", 2e9], ["cpu:ns", 1e6], ["x:count", 1]].map(([of, rate]) =>
        rateText(of as string, rate as number)), ["1 thread", "1 core", "2 threads", "<0.01 cores", "1 count/s"],
    "one thread is singular");
}

async function bytes(): Promise<void> {
    const draw = random(5);
    const samples = [
        new Uint8Array(0), Uint8Array.of(7), new Uint8Array(70_000).fill(3),
        Uint8Array.from({ length: 200_000 }, () => draw() * 256),
        Uint8Array.from({ length: 200_000 }, (_, i) => (draw() < 0.2 ? draw() * 8 : i % 50)),
    ];
    for (const sample of samples) {
        for (const level of [0, 1, 9]) {
            const packed = Uint8Array.from(deflateSync(sample, { level }));
            const here = inflateHere(packed);
            const there = await inflate(packed);
            ok(here.length === sample.length && here.every((byte, i) => byte === sample[i])
                && there.length === sample.length && there.every((byte, i) => byte === sample[i]),
            `${sample.length} bytes deflated at level ${level} are read, by the platform and here`);
        }
    }
    const packed = Uint8Array.from(deflateSync(samples[3]));
    let refused = 0;
    const flipped = packed.map((byte, i) => (i === packed.length >> 1 ? byte ^ 1 : byte));
    for (const damaged of [flipped, packed.subarray(0, 50), Uint8Array.of(120, 156, 7, 0, 0, 0, 0), packed.subarray(0, 0)]) {
        try {
            inflateHere(damaged);
        } catch {
            refused++;
        }
    }
    ok(refused === 4, "what is changed, cut or no deflated data is refused", refused);
    const free = { least: 0, limit: Infinity, ascending: false };
    const read = (bytes: number[], count: number, bounds: Partial<Bounds> = {}) => {
        const values = new Float64Array(count);
        const bad = readVarints(Uint8Array.from(bytes), values, { ...free, ...bounds });
        return bad < 0 ? [...values] : bad;
    };
    same(read([0, 127, 128, 1, 255, 255, 255, 255, 255, 255, 255, 15], 4), [0, 127, 128, 2 ** 53 - 1], "varints");
    same(read([3, 0, 130, 1], 3, { ascending: true }), [3, 3, 133], "varints of differences");
    same([read([1, 128], 2), read([1, 2], 1), read([1], 2), read([], 0)], [2, 1, 2, []], "too few and too many are refused");
    same([read([1, 5, 9], 3, { limit: 9 }), read([1, 5, 4], 3, { least: 1, ascending: true, limit: 10 }), read([1, 0], 2, { least: 1 })],
        [2, 2, 1], "what is out of bounds is named by its place");
}

function trees(seed: number): void {
    const stacks = someStacks(seed);
    const tree = buildTree(columnsOf(stacks), STRINGS);
    same(stacksOf(tree), sorted(stacks), `${seed}: a tree has the stacks it was made of`);
    const ordered = Array.from({ length: tree.count - 2 }, (_, k) => k + 2).every((i) =>
        tree.parent[i] > tree.parent[i - 1] || (tree.parent[i] === tree.parent[i - 1] && tree.total[i] <= tree.total[i - 1]));
    const again = buildTree({ ...columnsOf(stacks), ...{ parent: tree.parent.map((up) => Math.max(0, up)), name: tree.name,
        type: tree.type, self: tree.self } }, STRINGS);
    ok(ordered && again.start.every((at, i) => at === tree.start[i]) && again.first.every((at, i) => at === tree.first[i]),
        `${seed}: level by level, the heaviest first, and an ordered one stays as it is`);
    same(stacksOf(callersTree(tree, STRINGS, KINDS).tree), sorted(map(stacks, (path) => path.reverse())),
        `${seed}: callers are the stacks turned round`);
    const methods = sumMethods(tree, STRINGS);
    const expected = STRINGS.slice(1).map((name) => {
        const own = [...stacks].filter(([key]) => key.endsWith(name)).reduce((sum, [, weight]) => sum + weight, 0);
        const all = [...stacks].filter(([key]) => key.includes(name)).reduce((sum, [, weight]) => sum + weight, 0);
        return [name, own, all];
    }).filter(([, , all]) => all > 0);
    same(methods.map(({ name, self, total }) => [STRINGS[name], self, total]).sort(), expected,
        `${seed}: methods count each stack once`);
    const query = compileQuery("[ab]", true);
    if (query && "test" in query) {
        const found = matchFrames(tree, matchNames(STRINGS, query));
        const weight = [...stacks].filter(([key]) => /[ab]/.test(key)).reduce((sum, [, one]) => sum + one, 0);
        ok(found.weight === weight && found.methods === 2, `${seed}: a search counts each stack once`, [found.weight, weight]);
    }
}

function filters(seed: number): void {
    const stacks = someStacks(seed);
    const columns = columnsOf(stacks);
    const filtered = (some: object) => stacksOf(filterColumns(columns, { ...NO_FILTER, ...some }, KINDS));
    const a = STRINGS.indexOf("a");
    const b = STRINGS.indexOf("b");
    same(filtered({}), sorted(stacks), `${seed}: no filter changes nothing`);
    same(filtered({ focus: [a] }), sorted(map(stacks, (path) => (path.includes("a") ? path : null))), `${seed}: focus`);
    same(filtered({ focus: [a, b] }), sorted(map(stacks, (path) => (path.includes("a") && path.includes("b") ? path : null))),
        `${seed}: focus on two`);
    same(filtered({ drop: [a] }), sorted(map(stacks, (path) => (path.includes("a") ? null : path))), `${seed}: drop`);
    same(filtered({ hide: [a, b] }), sorted(map(stacks, (path) => path.filter((name) => name !== "a" && name !== "b"))),
        `${seed}: hide`);
    same(filtered({ recursion: true }), sorted(map(stacks, (path) => path.filter((name, i) => name !== path[i - 1]))),
        `${seed}: recursion`);
    same(filtered({ hide: [b], focus: [b], recursion: true }), sorted(map(stacks, (path) => {
        const rest = path.filter((name) => name !== "b");
        return path.includes("b") ? rest.filter((name, i) => name !== rest[i - 1]) : null;
    })), `${seed}: all at once, focus before hide before recursion`);
    const after = buildTree(filterColumns(columns, { ...NO_FILTER, focus: [a] }, KINDS), STRINGS);
    ok(after.total.every((total) => total > 0), `${seed}: frames without a stack are gone`);
}

function compared(seed: number): void {
    const [stacks, before] = [someStacks(seed), someStacks(seed + 1)];
    const hide = STRINGS.indexOf("a");
    const columns = filterColumns(columnsOf(stacks, before), { ...NO_FILTER, hide: [hide], recursion: true }, KINDS);
    const change = (path: string[]) => {
        const rest = path.filter((name) => name !== "a");
        return rest.filter((name, i) => name !== rest[i - 1]);
    };
    const tree = buildTree(columns, STRINGS);
    const turned = callersTree(tree, STRINGS, KINDS).tree;
    const back = (path: string[]) => change(path).reverse();
    ok(JSON.stringify([stacksOf(tree), stacksOf(tree, "otherSelf"), stacksOf(turned), stacksOf(turned, "otherSelf")])
        === JSON.stringify([map(stacks, change), map(before, change), map(stacks, back), map(before, back)].map(sorted)),
    `${seed}: both weights of a comparison go the same way`);
}

function chains(seed: number): void {
    const stacks = someStacks(seed, 12);
    const tree = buildTree(columnsOf(stacks), STRINGS);
    const folded = foldChains(tree, STRINGS, 9);
    const single = (i: number) => tree.first[i + 1] - tree.first[i] === 1 && tree.total[tree.first[i]] === tree.total[i];
    const kept = Array.from({ length: tree.count - 1 }, (_, k) => k + 1).filter((i) => !single(i));
    const gone = folded.folded ? folded.folded.reduce((sum, one) => sum + one, 0) : 0;
    ok(folded.count === kept.length + 1 && gone === tree.count - folded.count && gone > 0 && folded.total[0] === tree.total[0],
        `${seed}: chains of equal width are one frame, which says of how many`, [folded.count, tree.count, gone]);
    same(kept.map((i) => [tree.name[i], tree.total[i], tree.self[i]]).sort(),
        Array.from({ length: folded.count - 1 }, (_, k) => k + 1).map((i) => [folded.name[i], folded.total[i], folded.self[i]])
            .sort(), `${seed}: what is left keeps its figures`);
}

// The rest of a stack in which b belongs to the program, d to the JDK, and f to a library; a, c and e are in the kernel.
function ownPath(path: string[]): string[] {
    const made: string[] = [];
    let run = "";
    for (const name of path) {
        const inKernel = "ace".includes(name);
        if (name === "b") {
            made.push(name);
            run = "";
        } else if (run === "" && made[made.length - 1] === "b") {
            made.push(name);
            run = inKernel ? "kernel" : "call";
        } else if (inKernel && run !== "kernel") {
            made.push("… kernel");
            run = "kernel";
        } else if (run === "outer" && name === "f") {
            made[made.length - 1] = "… org.lib";
        } else if (run === "") {
            made.push(name === "f" ? "… org.lib" : "… JDK");
            run = "outer";
        }
    }
    return made;
}

function own(seed: number): void {
    const stacks = someStacks(seed);
    const columns = columnsOf(stacks, someStacks(seed + 100));
    const strings = [...STRINGS];
    const types = ["JIT compiled", "Kernel"];
    const owners = { labels: ["", "", "JDK", "org.lib"], of: Uint16Array.of(0, 0, 1, 0, 2, 0, 3) };
    const code = (text: string) => ownCode(strings, types, owners, text, (name) => strings.push(name) - 1);
    const paths = ({ parent, name, self }: typeof columns) => {
        const path = (i: number): string[] => (i === 0 ? [] : [...path(parent[i]), strings[name[i]]]);
        const seen: Stacks = new Map();
        self.forEach((weight, i) => weight > 0 && add(seen, path(i), weight));
        return sorted(seen);
    };
    const guessed = code("");
    const made = ownFirst(columns, guessed);
    same(paths(made), sorted(map(stacks, ownPath)), `${seed}: runs of frames that are not the program's are one frame each`);
    const sum = (weights?: Float64Array) => weights?.reduce((all, one) => all + one, 0);
    ok(sum(made.other) === sum(columns.other), `${seed}: of a comparison, too`);
    const all = sum(columns.self) as number;
    const weightOf = (test: (path: string[]) => boolean) =>
        [...stacks].reduce((part, [key, weight]) => part + (test(key.split("/")) ? weight : 0), 0);
    ok(Math.abs(ownShare(columns, guessed) - weightOf((path) => path.includes("b")) / all) < 1e-9, `${seed}: the program's share`);
    const given = code("d, f");
    ok(given.isOwn.slice(0, STRINGS.length).join("") === "0000101" && Math.abs(ownShare(columns, given) - weightOf((path) =>
        path.includes("d") || path.includes("f")) / all) < 1e-9, `${seed}: names that are given take the place of the guess`);
    ok(paths(ownFirst(columns, given)).some(([path]) => path.includes("… other code")), `${seed}: what was guessed is other code`);
    const answer = answerOf(columns, types, strings, guessed);
    const kernel = weightOf((path) => "ace".includes(path[path.length - 1]));
    ok(answer.outside?.weight === kernel && answer.outside.label === "kernel", `${seed}: the answer has the kernel's part`, answer);
    ok(answer.method?.own === true && strings[answer.method.name] === "b" && answer.method.weight === weightOf((path) =>
        path.includes("b")), `${seed}: and the program's own method`, answer);
    const self = (name: string) => weightOf((path) => path[path.length - 1] === name);
    const none = answerOf(columns, types, strings, null).method;
    ok(none?.own === false && none.weight === Math.max(self("b"), self("d"), self("f")), `${seed}: or else the hottest of all`, none);
}

function jvmWork(): void {
    // Under the root: [GC] with native code and kernel below it, and kernel of the program.
    const columns = {
        parent: Int32Array.of(0, 0, 1, 2, 0), name: Int32Array.of(0, 1, 2, 3, 3), type: Uint8Array.of(0, 1, 2, 3, 3),
        self: Float64Array.of(0, 0, 30, 20, 40),
    };
    const { outside } = answerOf(columns, ["JIT compiled", "Pseudo", "Native", "Kernel"], ["all", "[GC]", "mark", "futex"], null);
    same(outside, { label: "work of the JVM", weight: 50 }, "all code below what the JVM works at is its work");
}

function sandwiches(seed: number): void {
    const stacks = someStacks(seed);
    const tree = buildTree(columnsOf(stacks), STRINGS);
    const { callers, callees } = sandwich(tree, STRINGS, KINDS, STRINGS.indexOf("c"));
    const from = (path: string[]) => path.indexOf("c");
    same(stacksOf(callees), sorted(map(stacks, (path) => (from(path) < 0 ? null : path.slice(from(path) + 1)))),
        `${seed}: sandwich: what the method calls`);
    same(stacksOf(callers.tree), sorted(map(stacks, (path) => (from(path) < 0 ? null : path.slice(0, from(path)).reverse()))),
        `${seed}: sandwich: its callers`);
    ok(callees.total[0] === callers.tree.total[0] && callees.root === STRINGS.indexOf("c"), `${seed}: with one total`);
}

function neighbours(seed: number): void {
    const stacks = someStacks(seed);
    const around = aroundOf(columnsOf(stacks), STRINGS.indexOf("c"));
    const inside = [...stacks].map(([key, weight]) => ({ path: key.split("/"), weight })).filter(({ path }) => path.includes("c"));
    const sums = (nameOf: (path: string[]) => string | undefined) => {
        const made = new Map<string, number>();
        inside.forEach(({ path, weight }) => {
            const name = nameOf(path);
            if (name !== undefined) {
                made.set(name, (made.get(name) ?? 0) + weight);
            }
        });
        return [...made].sort();
    };
    const found = (rows: { name: number; weight: number }[]) => rows.map(({ name, weight }) => [STRINGS[name], weight]).sort();
    same(found(around.callers), sums((path) => path[path.indexOf("c") - 1] ?? STRINGS[0]), `${seed}: who calls a method`);
    same(found(around.callees), sums((path) => path[path.lastIndexOf("c") + 1]), `${seed}: what it calls`);
    const total = inside.reduce((sum, { weight }) => sum + weight, 0);
    const below = around.callees.reduce((sum, { weight }) => sum + weight, 0);
    ok(around.total === total && around.self + below === total, `${seed}: with itself, that is all of it`, around);
}

function times(seed: number): void {
    const stacks = someStacks(seed);
    const columns = columnsOf(stacks);
    const draw = random(seed);
    const rows: [number, number, number, number][] = [];
    columns.self.forEach((weight, node) => {
        for (; weight > 0; weight -= Math.min(weight, 20)) {
            rows.push([Math.floor(draw() * 30) * 100, Math.floor(draw() * 3), node, Math.min(weight, 20)]);
        }
    });
    rows.sort(([a], [b]) => a - b);
    const column = (at: 0 | 1 | 2) => Int32Array.from(rows, (row) => row[at]);
    const slices: Slices = {
        startNs: 0, bucketNs: 1e7, buckets: 3000, threads: ["a", "b", "a thread"], count: rows.length,
        time: column(0), thread: column(1), node: column(2), weight: Float64Array.from(rows, (row) => row[3]),
        state: Uint8Array.from(rows, ([time]) => 1 + (time % 600) / 100),
    };
    const strings = [...STRINGS, "a thread"];
    const chosen = { from: 500, to: 2000, threads: [0, 2] };
    const names = ["a", "b", "a thread"];
    const expected: Stacks = new Map();
    const byThread: Stacks = new Map();
    const paths = new Map(stacksOf({ ...columns, self: columns.self.map((_, i) => i) }).map(([path, node]) => [node, path]));
    for (const [time, thread, node, weight] of rows) {
        if (time >= 500 && time < 2000 && thread !== 1) {
            const path = (paths.get(node) as string).split("/");
            add(expected, path, weight);
            add(byThread, [names[thread], ...path], weight);
        }
    }
    same(stacksOf(selectColumns(columns, slices, chosen)), sorted(expected), `${seed}: a part of time and threads`);
    const nameOf = Int32Array.from(names, (name) => strings.indexOf(name));
    const grouped = threadColumns(columns, slices, chosen, { nameOf, type: 2 });
    const seen: Stacks = new Map();
    const path = (i: number): string[] => (i === 0 ? [] : [...path(grouped.parent[i]), strings[grouped.name[i]]]);
    grouped.self.forEach((weight, i) => weight > 0 && add(seen, path(i), weight));
    same(sorted(seen), sorted(byThread), `${seed}: with a frame per thread`);
    const whole = { from: 0, to: 3000 };
    const grid = gridOf(slices, [], whole);
    const total = totalsOf(columns.parent, columns.self)[0];
    ok(grid.columns <= 240 && grid.columns * grid.rows * grid.cellBuckets >= 3000
        && grid.cells.reduce((sum, cell) => sum + cell, 0) === total, `${seed}: the grid has all time`);
    const within = (from: number, to: number, thread: number) => rows.filter(([time, of]) =>
        time >= from && time < to && (thread < 0 || of === thread)).reduce((sum, [, , , weight]) => sum + weight, 0);
    const { cellBuckets, rows: cells } = grid;
    ok(grid.cells.every((cell, k) => cell === within(k * cellBuckets, (k + 1) * cellBuckets, -1))
        && gridOf(slices, [1], whole).cells.every((cell, k) => cell === within(k * cellBuckets, (k + 1) * cellBuckets, 1)),
    `${seed}: each cell that of its span, of all threads and of one`);
    const lanes = lanesOf(slices, rowsOf(slices, []), grid);
    ok(lanes.every((lane) => lane.columns.every((cell, k) =>
        cell === within(k * cells * cellBuckets, (k + 1) * cells * cellBuckets, lane.threads[0]))), `${seed}: each lane's column too`);
    ok(lanes.every((lane) => lane.columns.reduce((sum, cell) => sum + cell, 0) === lane.weight)
        && lanes.reduce((sum, { weight }) => sum + weight, 0) === total, `${seed}: so have the lanes`);
    ok(lanes.every(({ states, columns: sums }) => sums.every((sum, k) =>
        sum === (states as Float64Array).subarray(k * STATES, (k + 1) * STATES).reduce((a, b) => a + b, 0))), `${seed}: by state, too`);
    zooms(seed, { ...slices, bucketNs: 1e6 }, within);
    pools(seed, { ...slices, threads: ["pool-1", "pool-22", "pool-x"] });
}

function zooms(seed: number, slices: Slices, within: (from: number, to: number, thread: number) => number): void {
    for (const [from, to, cell] of [[1000, 1300, 2], [1000, 1200, 1], [1090, 1110, 1]]) {
        const grid = gridOf(slices, [], { from, to });
        ok(grid.cellBuckets === cell && grid.rows === 1 && grid.columns * cell >= to - from && grid.cells.every((sum, k) =>
            sum === within(from + k * cell, Math.min(to, from + (k + 1) * cell), -1)), `${seed}: in cells of ${cell}`);
        const lanes = lanesOf(slices, rowsOf(slices, []), grid);
        ok(lanes.every(({ columns, threads: [thread] }) => columns.every((sum, k) =>
            sum === within(from + k * cell, from + (k + 1) * cell, thread))), `${seed}: and the lanes with them`);
    }
    const millisecond = gridOf({ ...slices, bucketNs: 1e6 }, [], { from: 500, to: 740 });
    ok(millisecond.cellBuckets === 1 && millisecond.columns === 240, "240 ms are shown by the millisecond", millisecond);
}

function pools(seed: number, slices: Slices): void {
    const [closed, open] = [rowsOf(slices, []), rowsOf(slices, [0])];
    const texts = (rows: typeof open) => rows.map(({ label, threads, inside }) =>
        label + threads.join() + (inside ? " inside" : "")).sort();
    same(texts(closed), ["pool-*0,1", "pool-x2"], `${seed}: threads of a pool share a row`);
    same(texts(open), ["pool-*0,1", "pool-10 inside", "pool-221 inside", "pool-x2"], `${seed}: an open pool is followed by its threads`);
    const at = open.findIndex(({ threads }) => threads.length === 2);
    ok(open[at].weight === open[at + 1].weight + open[at + 2].weight, `${seed}: which together have its weight`, open);
}

function rest(): void {
    const more = changeOf(0.1, 10_000, 0.2, 10_000);
    ok(more.sure && more.interval !== null && more.interval[0] > 0.08 && more.interval[1] < 0.12, "a large change is sure", more);
    const noise = changeOf(0.1, 100, 0.12, 100);
    ok(!noise.sure && noise.interval !== null && noise.interval[0] < 0 && noise.interval[1] > 0, "a small one is not", noise);
    // Newcombe (1998), table II: 56/70 and 48/80 give 0.0524 to 0.3339 (method 10, without continuity correction).
    const { interval } = changeOf(48 / 80, 80, 56 / 70, 70);
    ok(interval !== null && Math.abs(interval[0] - 0.0524) < 1e-4 && Math.abs(interval[1] - 0.3339) < 1e-4,
        "the interval is Newcombe's", interval);
    ok(!changeOf(0.1, 0, 0.9, 100).sure, "nothing is sure without samples");
    const [single, listed] = [0, 500].map((tests) => changeOf(0.1, 1000, 0.13, 1000, tests));
    ok(single.sure && !listed.sure && String(single.interval) === String(listed.interval),
        "one of five hundred changes must be larger to be sure than a single one", listed);
    ok(changeOf(0.1, 1000, 0.2, 1000, 500).sure, "and so it is", changeOf(0.1, 1000, 0.2, 1000, 500));
    const state = readAddress("#view=sandwich&method=3&focus=1.2&threads=0.4&from=5&to=9&recursion=1&query=%23a&zoom=x&hide=1.");
    ok(state.view === "sandwich" && state.focus.join() === "1,2" && state.threads.join() === "0,4" && state.recursion
        && state.query === "#a" && state.zoom === 0 && state.hide.length === 0, "an address is read", state);
    same(readAddress(writeAddress(state)), state, "and written");
    same(visibleName("a\u202eb\n"), "a\\u202eb\\u000a", "marks that would turn text round are spelled out");
    same(splitName("a.b.C$$Lambda$7.0x00ab.run(int)"), { method: "C$$Lambda$7.0x00ab.run(int)", package: "a.b" }, "class and method");
    same(["java.lang.String", "java.util.Map$Entry[]", "Cart", "shop.Cart.Total", "shop.Cart.add"].map((name) => splitName(name)), [
        { method: "String", package: "java.lang" }, { method: "Map$Entry[]", package: "java.util" }, { method: "Cart", package: "" },
        { method: "Cart.Total", package: "shop" }, { method: "Cart.add", package: "shop" }], "the name of a class, and of methods");
    same(["java.util.HashMap.get", "C.m", "scala.a.b.c.D.e"].map((name) => packageOf(name, 3)),
        ["java.util", "no package", "scala.a.b"], "packages");
    STRINGS.push("com.acme.shop.cart.Cart.add", "com.acme.shop.price.Price.of", "java.util.List.of");
    const labels = (weights: number[]) => groupFrames(buildTree({
        parent: Int32Array.of(0, 0, 0, 0), name: Int32Array.of(0, 7, 8, 9), type: new Uint8Array(4), self: Float64Array.from(weights),
    }, STRINGS), { strings: STRINGS, types: ["JIT compiled"] }, "package").groups.map(({ label }) => label).sort();
    same(labels([0, 2, 2, 4]), ["com.acme.shop", "java.util"], "three parts of a package make a group");
    same(labels([0, 3, 3, 1]), ["com.acme.shop.cart", "com.acme.shop.price", "java.util"],
        "and more where one would have most of the time");
    const colours = (weights: number[]) => groupFrames(buildTree({
        parent: Int32Array.of(0, 0, 0, 0), name: Int32Array.of(0, 7, 8, 9), type: new Uint8Array(4), self: Float64Array.from(weights),
    }, STRINGS), { strings: STRINGS, types: ["JIT compiled"] }, "package").groups.map(({ label, colour }) => label + colour).sort();
    same(colours([0, 2, 2, 4]), colours([0, 1, 2, 3]), "a package has one color, however much time it has");
}

async function main(): Promise<void> {
    await bytes();
    for (let seed = 1; seed <= 8; seed++) {
        [trees, filters, compared, chains, own, sandwiches, neighbours, times].forEach((test) => test(seed));
    }
    rest();
    marks();
    traces();
    calls();
    coarse();
    order();
    jvmWork();
    await spans();
    why();
    sources();
    done();
}

void main();
