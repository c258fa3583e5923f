// The life of a request, compared with one that is computed nanosecond by nanosecond.
import { Piece, STATES, Trace, lifeOf, stateOf } from "../../../web/model/trace";
import { random } from "./stacks";
import { ok, same } from "./tap";

const WORDS = ["cpu", "waiting_for_cpu", "in_native_io", "blocked_on_monitor_enter", "sleeping", "parked", "allocates"];

function somePieces(draw: () => number): Piece[] {
    const pick = (n: number) => Math.floor(draw() * n);
    return Array.from({ length: 1 + pick(14) }, () => {
        const state = WORDS[pick(WORDS.length)];
        const [from, length, samples] = [100 + pick(300), pick(60), 1 + pick(5)];
        const weight = state === "allocates" ? { bytes: 64 } : { ns: 2 * samples * (1 + pick(9)) };
        return {
            from_ns: from, to_ns: from + (samples === 1 ? 0 : length), state, samples, ...weight, process: "p" + pick(2),
            thread: "t" + pick(2), span_id: null, method: "m" + pick(3),
            in: draw() < 0.5 ? "own" + pick(2) : null,
        };
    }).sort((a, b) => a.from_ns - b.from_ns);
}

const traceOf = (pieces: Piece[]): Trace => ({
    trace_id: "1", endpoint: null, from_ns: 0, to_ns: 0, cpu_ns: 0, wall_ns: 0, allocated_bytes: 0, samples: 0, threads: 0, spans: [],
    pieces,
});

// The expected weight of each state and of nothing, with a step of one ns: every end of a stretch is a whole number here.
function byHand(pieces: Piece[]): { sums: Record<string, number>; length: number } {
    const timed = pieces.filter((piece) => stateOf(piece)).map((piece) => {
        const half = (piece.ns as number) / piece.samples / 2;
        const [from, to] = [piece.from_ns - half, piece.to_ns + half];
        return { piece, from, to, part: Math.min(1, (piece.ns as number) / (to - from)) };
    });
    const ends = [...timed.flatMap(({ from, to }) => [from, to]),
        ...pieces.filter((piece) => !stateOf(piece)).flatMap(({ from_ns, to_ns }) => [from_ns, to_ns])];
    const [start, end] = [Math.min(...ends), Math.max(...ends)];
    const sums: Record<string, number> = {};
    for (let at = start; at < end; at++) {
        let left = 1;
        const used: Record<string, number> = {};
        for (const state of STATES) {
            const here = timed.filter(({ piece, from, to }) => stateOf(piece) === state && from <= at && to > at)
                .sort((a, b) => b.part - a.part);
            for (const { piece, part } of here) {
                const thread = piece.process + " " + piece.thread;
                const rest = 1 - (used[thread] ?? 0);
                const given = rest > 0 ? Math.min(1, part / rest) * left : 0;
                sums[state] = (sums[state] ?? 0) + given;
                left -= given;
                used[thread] = Math.min(1, (used[thread] ?? 0) + part);
            }
        }
        sums.nothing = (sums.nothing ?? 0) + left;
    }
    return { sums, length: end - start };
}

export function traces(): void {
    const draw = random(71);
    let wrong: unknown = null;
    for (let round = 0; round < 300 && !wrong; round++) {
        const pieces = somePieces(draw);
        const life = lifeOf(traceOf(pieces));
        const { sums, length } = byHand(pieces);
        const seen = (state: string) => (state === "nothing" ? life.unknown
            : life.path.filter((step) => step.state === state).reduce((sum, { ns }) => sum + ns, 0));
        const all = life.unknown + life.path.reduce((sum, { ns }) => sum + ns, 0);
        const moments = life.moments.every(({ from }, i) => from === (i === 0 ? 0 : life.moments[i - 1].to));
        const right = life.length === length && Math.abs(all - length) < 1e-6 && moments
            && [...STATES, "nothing"].every((state) => Math.abs(seen(state) - (sums[state] ?? 0)) < 1e-6);
        wrong = right ? null : { pieces, life, sums, length };
    }
    ok(wrong === null, "the time of a request is shared out as nanosecond by nanosecond", wrong);
    const one = (state: string, from: number, more: Partial<Piece>): Piece => ({
        from_ns: from, to_ns: from + 100, state, ns: 110, samples: 11, process: "a", thread: "t", span_id: null, method: "m", in: null,
        ...more,
    });
    const covered = lifeOf(traceOf([one("parked", 0, {}), one("cpu", 0, { thread: "u" }), one("runnable", 0, { thread: "u" })]));
    same(covered.path.map(({ state, thread, ns }) => [state, thread, Math.round(ns)]).filter(([, , ns]) => (ns as number) > 0),
        [["running", "u", 110]], "who waits for a thread that runs is not on the critical path, and running counts once");
    const lock = { class: "a.Lock", owner: "u", owner_endpoint: "GET /" };
    const locked = lifeOf(traceOf([one("parked", 0, {}), one("waits_for_lock", 0, { ns: 40, lock }),
        one("waits_for_lock", 5, { ns: 30, lock }), one("holds_lock", 0, { thread: "u", ns: 40 })]));
    same([locked.waits.map(({ owner, endpoint, ns }) => [owner, endpoint, ns]), locked.path.length, Math.round(locked.unknown),
        locked.lanes.flatMap(({ allocations }) => allocations).length], [[["u", "GET /", 70]], 1, 0, 0],
    "waits for a lock name its owner; neither they nor the holders are added to the time");
    same([lifeOf(traceOf([])).length, lifeOf(traceOf([])).lanes.length], [0, 0], "a request without samples");
}
