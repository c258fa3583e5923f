// Builds the tree of calls in order of time: below a frame per thread, the thread's stacks follow each other as they were seen, and a frame
// goes on for as long as consecutive stacks have it. So its width is the time that it used in one go, not in all of its calls.
//
// Samples have the time of their bucket. Within a bucket stacks are ordered by their place in the tree, in every other bucket backwards, so
// that what goes on from one bucket to the next remains one frame.
import { Selection, Slices, forEachSelected } from "./slices";
import { Columns, Tree, totalsOf } from "./tree";

const MOST_FRAMES = 300_000; // with more of them, several buckets are one step

// The threads' frames: nameOf[thread] is the number of the thread's name.
export interface ThreadNames {
    nameOf: Int32Array;
    type: number;
}

// `columns` must have places. `most`: the number of frames from which on the steps are longer.
export function orderByTime(columns: Columns, slices: Slices, selection: Selection, threads: ThreadNames, most = MOST_FRAMES): Tree {
    const rows = sampledRows(columns, slices, selection);
    const order = threadOrder(slices, rows);
    const ranks = ranksOf(columns.parent);
    for (let step = 1; ; step *= 2) {
        const last = step >= slices.buckets;
        const line = new TimeLine(columns, threads, last ? Infinity : most);
        if (sorted(rows, columns, slices, { order, ranks, step }).every((row) => line.add(columns, slices, row))) {
            return line.tree(step);
        }
    }
}

// Returns the rows of the selection that the columns show.
function sampledRows({ place }: Columns, slices: Slices, selection: Selection): number[] {
    const rows: number[] = [];
    forEachSelected(slices, selection, (row) => {
        if (slices.weight[row] > 0 && placeOf(place, slices.node[row]) >= 0) {
            rows.push(row);
        }
    });
    return rows;
}

const placeOf = (place: Int32Array | undefined, node: number): number => (place ? place[node] : node);

// Returns the place of each thread: the one with most weight comes first.
function threadOrder({ threads, thread, weight }: Slices, rows: number[]): Int32Array {
    const sums = new Float64Array(threads.length);
    rows.forEach((row) => { sums[thread[row]] += weight[row]; });
    const place = new Int32Array(threads.length);
    Array.from(sums.keys()).sort((a, b) => sums[b] - sums[a] || a - b).forEach((one, i) => { place[one] = i; });
    return place;
}

// Returns the place of each frame in the order in which a walk from the root meets them, callers before what they call.
function ranksOf(parent: Int32Array): Int32Array {
    const size = new Int32Array(parent.length).fill(1);
    for (let i = parent.length - 1; i > 0; i--) {
        size[parent[i]] += size[i];
    }
    const ranks = new Int32Array(parent.length);
    const next = new Int32Array(parent.length).fill(1);
    for (let i = 1; i < parent.length; i++) {
        ranks[i] = next[parent[i]];
        next[parent[i]] += size[i];
        next[i] = ranks[i] + 1;
    }
    return ranks;
}

function sorted(rows: number[], { place }: Columns, { thread, time, node }: Slices,
    { order, ranks, step }: { order: Int32Array; ranks: Int32Array; step: number }): number[] {
    const at = (row: number) => Math.floor(time[row] / step);
    const rank = (row: number) => ranks[placeOf(place, node[row])];
    return [...rows].sort((a, b) => order[thread[a]] - order[thread[b]] || at(a) - at(b)
        || (at(a) % 2 === 0 ? rank(a) - rank(b) : rank(b) - rank(a)) || time[a] - time[b]);
}

// The frames so far, in the order in which they begin.
class TimeLine {
    private readonly parent = [0];
    private readonly depth = [0];
    private readonly name: number[];
    private readonly type: number[];
    private readonly self = [0];
    private readonly start = [0];
    private readonly from = [Infinity];
    private readonly to = [0];
    private readonly open = [0]; // the frames that go on, the root first, then that of a thread
    private readonly openNode = [0, 0]; // their numbers in the columns
    private thread = -1;
    private end = 0;

    constructor({ name, type }: Columns, private readonly threads: ThreadNames, private readonly most: number) {
        this.name = [name[0]];
        this.type = [type[0]];
    }

    // Adds a row of the slices. Returns false if there are too many frames.
    add({ parent, name, type, place }: Columns, { thread, node, time, weight }: Slices, row: number): boolean {
        const { open, openNode, threads } = this;
        if (thread[row] !== this.thread) {
            this.thread = thread[row];
            open.length = 1;
            this.begin(threads.nameOf[this.thread], threads.type);
        }
        const path: number[] = [];
        for (let i = placeOf(place, node[row]); i > 0; i = parent[i]) {
            path.push(i);
        }
        path.reverse();
        let same = 0;
        while (same < path.length && same + 2 < open.length && openNode[same + 2] === path[same]) {
            same++;
        }
        open.length = same + 2;
        for (const i of path.slice(same)) {
            this.begin(name[i], type[i]);
            openNode[open.length - 1] = i;
        }
        for (const frame of open) {
            this.from[frame] = Math.min(this.from[frame], time[row]);
            this.to[frame] = Math.max(this.to[frame], time[row] + 1);
        }
        this.self[open[open.length - 1]] += weight[row];
        this.end += weight[row];
        return this.parent.length <= this.most;
    }

    private begin(name: number, type: number): void {
        const { open } = this;
        this.parent.push(open[open.length - 1]);
        this.depth.push(open.length);
        this.name.push(name);
        this.type.push(type);
        this.self.push(0);
        this.start.push(this.end);
        this.from.push(Infinity);
        this.to.push(0);
        open.push(this.parent.length - 1);
    }

    // Numbers the frames level by level. Within a level they keep their order.
    tree(step: number): Tree {
        const count = this.parent.length;
        const order = Int32Array.from(this.parent.keys()).sort((a, b) => this.depth[a] - this.depth[b] || a - b);
        const place = new Int32Array(count);
        order.forEach((frame, i) => { place[frame] = i; });
        const moved = (column: number[]) => Float64Array.from(order, (frame) => column[frame]);
        const parent = Int32Array.from(order, (frame) => place[this.parent[frame]]);
        const self = moved(this.self);
        const first = new Int32Array(count + 1);
        first[0] = 1;
        for (let i = 1; i < count; i++) {
            first[parent[i] + 1]++;
        }
        for (let i = 0; i < count; i++) {
            first[i + 1] += first[i];
        }
        const total = totalsOf(parent, self);
        parent[0] = -1;
        return {
            count, root: -1, parent, self, total, first,
            name: Int32Array.from(moved(this.name)), type: Uint8Array.from(moved(this.type)),
            depth: Int32Array.from(moved(this.depth)), start: moved(this.start),
            otherSelf: null, otherTotal: null, selfEffect: null, totalEffect: null, folded: null,
            timed: { from: Int32Array.from(moved(this.from)), to: Int32Array.from(moved(this.to)), step },
        };
    }
}
