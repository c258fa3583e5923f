// Reads the samples over time: the weight of each thread at each frame of the columns in each bucket of time.
import { Maker, demand, readColumn } from "./columns";
import { bare } from "./filters";
import { Merge } from "./merge";
import { Columns, Values } from "./tree";

// What a thread did: unknown, running, ready to run, waiting for a monitor, waiting or parked, sleeping, in I/O. In this order in the data.
export const STATES = 7;

// What each thread did in each bucket of time.
export interface Timeline {
    startNs: number; // when the first bucket begins, in nanoseconds since the epoch; 0 = unknown
    bucketNs: number;
    buckets: number;
    threads: string[];
    count: number;
    // The rows, ordered by time.
    time: Int32Array;
    thread: Int32Array;
    weight: Float64Array;
    state: Uint8Array | null; // what the thread did; null = the samples do not say it
}

export interface Slices extends Timeline {
    node: Int32Array;
}

export async function readSlices(data: Record<string, unknown>, threads: unknown, nodes: number): Promise<Slices> {
    demand(Array.isArray(threads) && threads.every((name) => typeof name === "string"), "threads: not a list of texts");
    const { count, buckets, bucket_ns: bucketNs } = data;
    const whole = (value: unknown): value is number =>
        typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
    demand(whole(count) && whole(buckets), "slices.count or .buckets: missing");
    demand(typeof bucketNs === "number" && bucketNs > 0, "slices.bucket_ns: missing");
    const column = <T extends Values>(key: string, make: Maker<T>, limit: number, ascending = false) =>
        readColumn("slices." + key, data[key], count, make, { limit, ascending });
    const [time, thread, node, weight, state] = await Promise.all([
        column("time", Int32Array, buckets, true), column("thread", Int32Array, threads.length),
        column("node", Int32Array, nodes), column("weight", Float64Array, Infinity),
        data.state === undefined ? null : column("state", Uint8Array, STATES),
    ]);
    const { start_ns: start } = data;
    const startNs = typeof start === "number" && start > 0 ? start : 0;
    return { startNs, bucketNs, buckets, threads: threads as string[], count, time, thread, node, weight, state };
}

// Returns the slices without their nodes, which are far fewer: neighbors that differ in the node only become one row.
export function timelineOf(slices: Slices): Timeline {
    const { time, thread, state } = slices;
    const isSame = (i: number) => time[i] === time[i - 1] && thread[i] === thread[i - 1] && (!state || state[i] === state[i - 1]);
    const begins: number[] = [];
    for (let i = 0; i < slices.count; i++) {
        if (i === 0 || !isSame(i)) {
            begins.push(i);
        }
    }
    const weight = new Float64Array(begins.length);
    begins.forEach((begin, row) => {
        const end = begins[row + 1] ?? slices.count;
        for (let i = begin; i < end; i++) {
            weight[row] += slices.weight[i];
        }
    });
    const { startNs, bucketNs, buckets, threads } = slices;
    const pick = <T extends Int32Array | Uint8Array>(column: T, made: T): T => {
        begins.forEach((begin, row) => { made[row] = column[begin]; });
        return made;
    };
    return {
        startNs, bucketNs, buckets, threads, count: begins.length, weight,
        time: pick(time, new Int32Array(begins.length)), thread: pick(thread, new Int32Array(begins.length)),
        state: state && pick(state, new Uint8Array(begins.length)),
    };
}

// A selection of the samples: buckets from .. to - 1 of these threads.
export interface Selection {
    from: number;
    to: number; // -1 = to the end
    threads: number[]; // empty = all
}

export function selectsAll({ from, to, threads }: Selection): boolean {
    return from === 0 && to < 0 && threads.length === 0;
}

// By thread: whether it is selected.
export function threadFlags(slices: Timeline, threads: number[]): Uint8Array {
    const flags = new Uint8Array(slices.threads.length).fill(threads.length === 0 ? 1 : 0);
    threads.forEach((thread) => { flags[thread] = 1; });
    return flags;
}

export function forEachSelected(slices: Slices, { from, to, threads }: Selection, visit: (row: number) => void): void {
    const wanted = threadFlags(slices, threads);
    const end = to < 0 ? slices.buckets : to;
    for (let i = 0; i < slices.count; i++) {
        if (slices.time[i] >= from && slices.time[i] < end && wanted[slices.thread[i]]) {
            visit(i);
        }
    }
}

// Returns the same frames with the weights of the selection.
export function selectColumns(columns: Columns, slices: Slices, selection: Selection): Columns {
    const self = new Float64Array(columns.parent.length);
    forEachSelected(slices, selection, (i) => { self[slices.node[i]] += slices.weight[i]; });
    return { ...bare(columns), self };
}

// Returns the selection with one frame per thread between the root and the thread's stacks. nameOf[thread]: the number of the thread's
// name. `type`: the type of these frames.
export function threadColumns(columns: Columns, slices: Slices, selection: Selection,
    { nameOf, type }: { nameOf: Int32Array; type: number }): Columns {
    const { parent, name } = columns;
    const merge = new Merge(name[0], columns.type[0], false);
    // By node: the last thread for which it was reached, and its frame there.
    const reached = new Int32Array(parent.length).fill(-1);
    const frame = new Int32Array(parent.length);
    const frameOf = (thread: number, node: number): number => {
        const path: number[] = [];
        for (; node > 0 && reached[node] !== thread; node = parent[node]) {
            path.push(node);
        }
        let at = node > 0 ? frame[node] : merge.child(0, nameOf[thread], type);
        while (path.length > 0) {
            const next = path.pop() as number;
            at = merge.child(at, name[next], columns.type[next]);
            reached[next] = thread;
            frame[next] = at;
        }
        return at;
    };
    const rows: number[] = [];
    forEachSelected(slices, selection, (i) => rows.push(i));
    rows.sort((a, b) => slices.thread[a] - slices.thread[b] || a - b);
    rows.forEach((i) => merge.add(frameOf(slices.thread[i], slices.node[i]), slices.weight[i], 0));
    return merge.columns();
}
