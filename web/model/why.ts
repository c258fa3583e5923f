// Explains a span of time in which a program did little: what stopped all threads, and for what single threads waited. It only adds up
// halts and samples, and is separate from the panel so that tests can compute it without a browser.
import { Halt, Halts } from "./parts";
import { Slices, Timeline } from "./slices";

export interface Span {
    from: number; // nanoseconds since the epoch, like to
    to: number;
}

// Halts of one kind within the span.
export interface HaltSum {
    kind: string;
    count: number;
    ns: number; // of all threads: the time that such a halt covers; of single threads: the sum over the threads
    longest: Halt; // by its part within the span
}

// A thread that held up others, directly or through threads that it held up.
export interface Root {
    thread: string;
    held: number; // threads that waited for it
    halt: Halt | null; // its own longest halt in the span; null = it was running, as far as is known
}

export interface Why {
    length: number;
    stopped: number; // ns of the span in which all threads were stopped
    ofAll: HaltSum[]; // the largest first; kinds may cover the same time
    ofThreads: HaltSum[];
    threads: number; // threads with a halt of their own
    roots: Root[]; // the one that held up most threads first
    unlisted: number; // events that the recording has and the page does not list, at any time
}

const partWithin = ({ start, duration }: Halt, { from, to }: Span): number => Math.min(to, start + duration) - Math.max(from, start);

// Returns the length of the union of the halts within the span.
function covered(list: Halt[], span: Span): number {
    let sum = 0;
    let end = span.from;
    for (const { start, duration } of list.slice().sort((a, b) => a.start - b.start)) {
        const until = Math.min(span.to, start + duration);
        sum += Math.max(0, until - Math.max(end, start));
        end = Math.max(end, until);
    }
    return sum;
}

function sumsOf(list: Halt[], span: Span, lengthOf: (halts: Halt[]) => number): HaltSum[] {
    const kinds = new Map<string, Halt[]>();
    list.forEach((halt) => kinds.set(halt.kind, [...(kinds.get(halt.kind) ?? []), halt]));
    return [...kinds].map(([kind, halts]) => ({
        kind, count: halts.length, ns: lengthOf(halts),
        longest: halts.reduce((most, halt) => (partWithin(halt, span) > partWithin(most, span) ? halt : most)),
    })).sort((a, b) => b.ns - a.ns);
}

// Follows each thread that waited for another one to the thread on which all of these waits depend. Threads that wait for each other in a
// circle have none.
function rootsOf(list: Halt[], span: Span): Root[] {
    const longest = new Map<string, Halt>();
    for (const halt of list) {
        const known = longest.get(halt.thread);
        if (!known || partWithin(halt, span) > partWithin(known, span)) {
            longest.set(halt.thread, halt);
        }
    }
    const roots = new Map<string, Root>();
    for (const { thread, by } of longest.values()) {
        const passed = new Set([thread]);
        let root = by;
        for (let next = longest.get(root)?.by ?? ""; next !== "" && !passed.has(root); next = longest.get(root)?.by ?? "") {
            passed.add(root);
            root = next;
        }
        if (root !== "" && !passed.has(root)) {
            const held = (roots.get(root)?.held ?? 0) + 1;
            roots.set(root, { thread: root, held, halt: longest.get(root) ?? null });
        }
    }
    return [...roots.values()].sort((a, b) => b.held - a.held);
}

export function whyOf(halts: Halts, span: Span): Why {
    const list = halts.list.filter((halt) => partWithin(halt, span) > 0);
    const [all, single] = [list.filter(({ ofAll }) => ofAll), list.filter(({ ofThread }) => ofThread)];
    const sum = (some: Halt[]) => some.reduce((ns, halt) => ns + partWithin(halt, span), 0);
    const recorded = halts.kinds.reduce((count, kind) => count + kind.count, 0);
    return {
        length: span.to - span.from, stopped: covered(all, span), unlisted: Math.max(0, recorded - halts.list.length),
        ofAll: sumsOf(all, span, (some) => covered(some, span)), ofThreads: sumsOf(single, span, sum),
        threads: new Set(single.map(({ thread }) => thread)).size, roots: rootsOf(single, span),
    };
}

// Returns the buckets of a span: the first one, and the one after the last. Of a span that is shorter than a bucket, that is the bucket
// in which it begins: the buckets of two kinds of sample may differ in length.
export function bucketsOf({ startNs, bucketNs }: Timeline, { from, to }: Span): [number, number] {
    const [first, last] = [(from - startNs) / bucketNs, (to - startNs) / bucketNs];
    return Math.round(last) > Math.round(first) ? [Math.round(first), Math.round(last)] : [Math.floor(first), Math.floor(first) + 1];
}

// Returns the weight per nanosecond of the buckets of the span, and that of all buckets: processors, if the weights are CPU time.
export function paceOf(slices: Timeline, span: Span): { here: number; whole: number } {
    const { bucketNs, buckets, count, time, weight } = slices;
    const [from, to] = bucketsOf(slices, span);
    const [first, last] = [Math.max(0, from), Math.min(buckets, to)];
    let [here, whole] = [0, 0];
    for (let i = 0; i < count; i++) {
        whole += weight[i];
        here += time[i] >= first && time[i] < last ? weight[i] : 0;
    }
    return { here: last > first ? here / ((last - first) * bucketNs) : 0, whole: buckets > 0 ? whole / (buckets * bucketNs) : 0 };
}

// A time is a gap if the threads used less than this part of what they use on average.
export const GAP = 0.25;
const MOST_CELLS = 400;
// So many slices a cell: with fewer, a cell is often empty by chance.
const SLICES_IN_CELL = 20;

// Returns the longest gap that is between two buckets, as the first bucket and the one after the last; null = there is none.
export function longestGap(slices: Timeline, from: number, to: number): [number, number] | null {
    const { count, time, weight, buckets } = slices;
    const cells = Math.min(MOST_CELLS, buckets, Math.floor(count / SLICES_IN_CELL));
    const sums = new Float64Array(Math.max(1, cells));
    const cellOf = (bucket: number) => Math.floor((bucket * sums.length) / buckets);
    let whole = 0;
    for (let i = 0; i < count; i++) {
        sums[cellOf(time[i])] += weight[i];
        whole += weight[i];
    }
    let [best, run] = [[0, 0], 0];
    for (let cell = cellOf(from); cell < Math.min(sums.length, Math.ceil((to * sums.length) / buckets)); cell++) {
        run = sums[cell] < (GAP * whole) / sums.length ? run + 1 : 0;
        best = run > best[1] - best[0] ? [cell + 1 - run, cell + 1] : best;
    }
    const bucket = (cell: number) => Math.round((cell * buckets) / sums.length);
    const [begin, end] = [Math.max(from, bucket(best[0])), Math.min(to, bucket(best[1]))];
    return cells > 1 && begin < end ? [begin, end] : null;
}

export interface Waiting {
    name: number; // number of the innermost frame's name
    share: number;
}

// Returns the innermost frames with most weight in buckets from .. to - 1.
export function leavesOf({ count, time, node, weight }: Slices, name: Int32Array, from: number, to: number, most: number): Waiting[] {
    const sums = new Map<number, number>();
    let whole = 0;
    for (let i = 0; i < count; i++) {
        if (time[i] >= from && time[i] < to) {
            sums.set(name[node[i]], (sums.get(name[node[i]]) ?? 0) + weight[i]);
            whole += weight[i];
        }
    }
    return [...sums].sort((a, b) => b[1] - a[1]).slice(0, most).map(([leaf, sum]) => ({ name: leaf, share: sum / whole }));
}
