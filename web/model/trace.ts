// The life of one request, computed from the samples of its threads: their lanes, and what the request's time went to at each moment. It is
// separate from the drawing so that tests can compute it in another way.

export interface Piece {
    from_ns: number; // of the first and the last sample
    to_ns: number;
    state: string; // "cpu", "allocates", or a state of the event wall
    ns?: number; // what the samples stand for; bytes for allocations
    bytes?: number;
    samples: number;
    process: string | null;
    thread: string | null;
    span_id: string | null;
    method: string;
    in: string | null; // the innermost Java method outside the JDK
    lock?: { class: string | null; owner: string | null; owner_endpoint: string | null }; // of a wait for a lock
}

export interface Trace {
    trace_id: string;
    link?: string;
    endpoint: string | null;
    from_ns: number;
    to_ns: number;
    cpu_ns: number;
    wall_ns: number;
    allocated_bytes: number;
    samples: number;
    threads: number;
    spans: { span_id: string; root_span_id: string | null; from_ns: number; to_ns: number; link?: string }[];
    pieces: Piece[];
}

export type TraceState = "running" | "ready" | "io" | "monitor" | "parked" | "sleeping";

// In the order in which they explain a moment: while one thread runs, it does not matter that others wait.
export const STATES: readonly TraceState[] = ["running", "ready", "io", "monitor", "sleeping", "parked"];

const OF_WORDS: Record<string, TraceState> = {
    cpu: "running", runnable: "running", in_native: "running", in_vm: "running", not_java: "running", waiting_for_cpu: "ready",
    in_native_io: "io", blocked_on_monitor_enter: "monitor", sleeping: "sleeping", in_object_wait: "parked", parked: "parked",
};

const UNTIMED = new Set(["allocates", "waits_for_lock", "holds_lock"]);

// Returns the state of a piece, or null for one that is not added to the thread's time: an allocation takes none that was measured, and the
// time of a lock's waits and holders is in the samples of the wall clock already.
export function stateOf({ state }: Piece): TraceState | null {
    return UNTIMED.has(state) ? null : OF_WORDS[state] ?? "parked";
}

const threadOf = ({ process, thread }: Piece): string => JSON.stringify([process, thread]);

export interface Stretch {
    piece: Piece;
    state: TraceState;
    from: number; // ns since the beginning of the picture
    to: number;
    part: number; // of this stretch that its samples stand for, up to 1
}

export interface Lane {
    process: string;
    thread: string;
    stretches: Stretch[];
    allocations: { at: number; piece: Piece }[];
}

export interface Step {
    state: TraceState;
    process: string;
    thread: string;
    method: string; // where: the program's own method, or the innermost one
    ns: number; // the request's time that went there
}

export interface Moment {
    from: number; // ns since the beginning of the picture
    to: number;
    state: TraceState | null; // null: nothing was sampled
}

// For whom a thread of the request waited: the lock, and the thread that held it when the wait began.
export interface Wait {
    lock: string; // its class; "" = unknown, as below
    thread: string;
    owner: string;
    endpoint: string; // what the owner worked for
    method: string;
    ns: number;
}

export interface Life {
    start: number; // since the epoch
    length: number;
    lanes: Lane[];
    path: Step[]; // the largest first
    waits: Wait[]; // the longest first
    moments: Moment[]; // what explains most of each part of the time, in order
    unknown: number; // ns of the length in which nothing of the request was sampled
}

// A sample stands for the time around it.
function stretchOf(piece: Piece, state: TraceState, start: number): Stretch {
    const half = (piece.ns ?? 0) / Math.max(1, piece.samples) / 2;
    const [from, to] = [piece.from_ns - start - half, piece.to_ns - start + half];
    return { piece, state, from, to, part: to > from ? Math.min(1, (piece.ns ?? 0) / (to - from)) : 0 };
}

export function lifeOf({ pieces }: Trace): Life {
    const bounds = pieces.map((piece) => {
        const half = stateOf(piece) ? (piece.ns ?? 0) / Math.max(1, piece.samples) / 2 : 0;
        return [piece.from_ns - half, piece.to_ns + half];
    });
    const start = bounds.reduce((least, [from]) => Math.min(least, from), Infinity);
    const end = bounds.reduce((most, [, to]) => Math.max(most, to), -Infinity);
    const lanes = new Map<string, Lane>();
    for (const piece of pieces) {
        const key = threadOf(piece);
        const lane = lanes.get(key) ?? { process: piece.process ?? "", thread: piece.thread ?? "", stretches: [], allocations: [] };
        const state = stateOf(piece);
        if (state) {
            lane.stretches.push(stretchOf(piece, state, start));
        } else if (piece.state === "allocates") {
            lane.allocations.push({ at: (piece.from_ns + piece.to_ns) / 2 - start, piece });
        }
        lanes.set(key, lane);
    }
    const all = [...lanes.values()]; // in the order of their first pieces, as these are given
    const length = pieces.length > 0 ? end - start : 0;
    return { start: pieces.length > 0 ? start : 0, length, lanes: all, waits: waitsOf(pieces), ...pathOf(all.flatMap(once), length) };
}

function waitsOf(pieces: Piece[]): Wait[] {
    const found = new Map<string, Wait>();
    for (const { lock, thread, method, in: own, ns } of pieces.filter((piece) => piece.state === "waits_for_lock")) {
        const made: Wait = {
            lock: lock?.class ?? "", thread: thread ?? "", owner: lock?.owner ?? "", endpoint: lock?.owner_endpoint ?? "",
            method: own ?? method, ns: 0,
        };
        const key = JSON.stringify(made);
        const wait = found.get(key) ?? made;
        wait.ns += ns ?? 0;
        found.set(key, wait);
    }
    return [...found.values()].sort((a, b) => b.ns - a.ns);
}

// If a thread has samples of CPU time, those of the wall clock that show it running are of the same time.
function once({ stretches }: Lane): Stretch[] {
    const has = stretches.some(({ piece }) => piece.state === "cpu");
    return stretches.filter(({ piece, state }) => !has || state !== "running" || piece.state === "cpu");
}

// Shares each moment out. The first state of STATES that a thread is in gets the part of the moment that its samples stand for; the next
// one gets its part of what is left; and so on. What then is left is unknown. So the sum is exactly the length. Threads are taken to be
// independent of each other; the states of one thread exclude each other.
function pathOf(stretches: Stretch[], length: number): Pick<Life, "path" | "moments" | "unknown"> {
    const edges = [...new Set([0, length, ...stretches.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
    const coming = stretches.slice().sort((a, b) => b.from - a.from);
    const found = new Map<string, Step>();
    const moments: Moment[] = [];
    let present: Stretch[] = [];
    let unknown = 0;
    for (let i = 0; i + 1 < edges.length; i++) {
        present = present.filter(({ to }) => to > edges[i]);
        while (coming.length > 0 && coming[coming.length - 1].from <= edges[i]) {
            present.push(coming.pop() as Stretch);
        }
        present.sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || b.part - a.part);
        const [from, to] = [edges[i], edges[i + 1]];
        const { left, most } = shareOut(present, to - from, found);
        unknown += left;
        const last = moments[moments.length - 1];
        if (last && last.state === most) {
            last.to = to;
        } else {
            moments.push({ from, to, state: most });
        }
    }
    return { path: [...found.values()].sort((a, b) => b.ns - a.ns), moments, unknown };
}

// Adds a moment to the steps. Returns what is left of it, and the state that got most; null if most is left.
function shareOut(present: Stretch[], moment: number, found: Map<string, Step>): { left: number; most: TraceState | null } {
    const used = new Map<string, number>(); // by thread: the part of the moment that its states so far have
    const sums = new Map<TraceState, number>();
    let left = moment;
    for (const { piece, state, part } of present) {
        const thread = threadOf(piece);
        const before = used.get(thread) ?? 0;
        const given = before < 1 ? Math.min(1, part / (1 - before)) : 0;
        stepOf(found, piece, state).ns += left * given;
        sums.set(state, (sums.get(state) ?? 0) + left * given);
        left -= left * given;
        used.set(thread, Math.min(1, before + part));
    }
    const [most, weight] = [...sums].reduce<[TraceState | null, number]>((a, b) => (b[1] > a[1] ? b : a), [null, 0]);
    return { left, most: weight >= left ? most : null };
}

function stepOf(found: Map<string, Step>, piece: Piece, state: TraceState): Step {
    const made: Step = { state, process: piece.process ?? "", thread: piece.thread ?? "", method: piece.in ?? piece.method, ns: 0 };
    const key = JSON.stringify([state, made.process, made.thread, made.method]);
    const step = found.get(key) ?? made;
    found.set(key, step);
    return step;
}
