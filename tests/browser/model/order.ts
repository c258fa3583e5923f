// Time order, compared with the samples themselves: read from left to right, the picture has their stacks in the order of their times.
import { sameFrame } from "../../../web/model/coarse";
import { filterColumns } from "../../../web/model/filters";
import { orderByTime } from "../../../web/model/order";
import { Slices, selectColumns } from "../../../web/model/slices";
import { Columns, Tree, levelsUnder } from "../../../web/model/tree";
import { KINDS, STRINGS, columnsOf, pathOf, random, someStacks } from "./stacks";
import { ok, same } from "./tap";

const THREADS = ["t", "u", "v"];
const ALL = { from: 0, to: -1, threads: [] };

interface Sample {
    thread: number;
    path: string[];
    weight: number;
}

// One sample at most for each thread and bucket, so that there is only one order.
function someSlices(columns: Columns, seed: number): { slices: Slices; samples: (Sample & { time: number })[] } {
    const draw = random(seed);
    const rows: [number, number, number, number][] = [];
    const stays = [1, 1, 1];
    for (let time = 0; time < 200; time++) {
        for (let thread = 0; thread < THREADS.length; thread++) {
            if (draw() < 0.4) {
                stays[thread] = 1 + Math.floor(draw() * (columns.parent.length - 1)); // otherwise it stays where it was
            }
            if (draw() < 0.8) {
                rows.push([time, thread, stays[thread], 1 + Math.floor(draw() * 9)]);
            }
        }
    }
    const column = (i: number) => Int32Array.from(rows, (row) => row[i]);
    const slices = { startNs: 1, bucketNs: 1e6, buckets: 200, threads: THREADS, count: rows.length, state: null,
        time: column(0), thread: column(1), node: column(2), weight: Float64Array.from(column(3)) };
    return { slices, samples: rows.map(([time, thread, node, weight]) => ({ time, thread, path: pathOf(columns, node), weight })) };
}

// The samples one after the other, those of the first thread first; equal neighbors are one.
function inOrder(samples: Sample[], threads: number[]): [string, number][] {
    const made: [string, number][] = [];
    for (const thread of threads) {
        for (const { path, weight } of samples.filter((sample) => sample.thread === thread)) {
            const text = [THREADS[thread], ...path].join("/");
            const last = made[made.length - 1];
            if (last?.[0] === text) {
                last[1] += weight;
            } else {
                made.push([text, weight]);
            }
        }
    }
    return made;
}

// The stacks of the picture at every place, from left to right.
function fromLeft(tree: Tree, names: string[]): [string, number][] {
    const edges = [...new Set([...tree.start, ...tree.start.map((start, i) => start + tree.total[i])])].sort((a, b) => a - b);
    const made: [string, number][] = [];
    edges.slice(1).forEach((end, i) => {
        const middle = (edges[i] + end) / 2;
        const path = levelsUnder(tree, 0).slice(1).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, k) => from + k))
            .filter((frame) => tree.start[frame] < middle && middle < tree.start[frame] + tree.total[frame])
            .map((frame) => names[tree.name[frame]]);
        const last = made[made.length - 1];
        if (last?.[0] === path.join("/")) {
            last[1] += end - edges[i];
        } else {
            made.push([path.join("/"), end - edges[i]]);
        }
    });
    return made;
}

const placed = (columns: Columns) => ({ ...columns, place: Int32Array.from(columns.parent.keys()) });

export function order(): void {
    const columns = columnsOf(someStacks(21, 12));
    const { slices, samples } = someSlices(columns, 4);
    const names = [...STRINGS, ...THREADS];
    const threads = { nameOf: Int32Array.from(THREADS, (_, i) => STRINGS.length + i), type: 2 };
    const sums = THREADS.map((_, thread) => samples.filter((one) => one.thread === thread).reduce((sum, { weight }) => sum + weight, 0));
    const byWeight = [0, 1, 2].sort((a, b) => sums[b] - sums[a]);
    const tree = orderByTime(placed(columns), slices, ALL, threads);
    same(fromLeft(tree, names), inOrder(samples, byWeight), "in order of time, the stacks follow each other as the samples do");
    const split = (i: number) => i > 1 && tree.parent[i] === tree.parent[i - 1] && tree.name[i] === tree.name[i - 1]
        && tree.start[i] === tree.start[i - 1] + tree.total[i - 1];
    ok(![...tree.name.keys()].some(split), "and what goes on is one frame");
    ok(tree.timed!.step === 1 && tree.total[0] === samples.reduce((sum, { weight }) => sum + weight, 0), "with all of the weight");
    const seen = [...tree.name.keys()].filter((i) => tree.depth[i] === 1 && names[tree.name[i]] === "u")
        .map((i) => [tree.timed!.from[i], tree.timed!.to[i]]);
    const times = samples.filter((one) => one.thread === 1).map(({ time }) => time);
    same(seen, [[times[0], times[times.length - 1] + 1]], "a frame knows when it was seen first and last");

    const part = { from: 50, to: 120, threads: [2] };
    const filters = { focus: [], drop: [2], hide: [3], recursion: true };
    const chosen = filterColumns(selectColumns(placed(columns), slices, part), filters, KINDS);
    const kept = samples.filter(({ time, thread, path }) => time >= 50 && time < 120 && thread === 2 && !path.includes("b"))
        .map((one) => ({ ...one, path: one.path.filter((name) => name !== "c").filter((name, i, all) => name !== all[i - 1]) }));
    same(fromLeft(orderByTime(chosen, slices, part, threads), names), inOrder(kept, [2]), "so do those that filters leave");

    const few = orderByTime(placed(columns), slices, ALL, threads, tree.count / 3);
    ok(few.count <= tree.count / 3 && few.timed!.step > 1 && few.total[0] === tree.total[0], "if there are too many, a step is longer",
        [few.count, tree.count, few.timed!.step]);
    ok([5, 60, tree.count - 1].every((i) => sameFrame(tree, i, tree) === i), "a frame of a coarse picture is found by its place");
}
