// Why nothing ran in a span: sums over halts and samples, compared with sums nanosecond by nanosecond.
import { Halt, Halts } from "../../../web/model/parts";
import { Slices } from "../../../web/model/slices";
import { leavesOf, paceOf, whyOf } from "../../../web/model/why";
import { random } from "./stacks";
import { ok, same } from "./tap";

const KINDS = ["gc_pause", "safepoint", "park", "monitor", "gc_phase"]; // the last one is a part of others

function someHalts(draw: () => number): Halts {
    const list: Halt[] = Array.from({ length: 30 }, () => {
        const kind = KINDS[Math.floor(draw() * KINDS.length)];
        return {
            kind, ofAll: kind === "gc_pause" || kind === "safepoint", ofThread: kind === "park" || kind === "monitor",
            start: Math.floor(draw() * 200), duration: 1 + Math.floor(draw() * 30),
            what: "", thread: "t" + Math.floor(draw() * 4), by: "", site: "",
        };
    });
    return { length: 200, stopped: 0, list, kinds: [{ kind: "park", count: 37, total: 0, p99: 0, longest: 0 }] };
}

export function why(): void {
    const draw = random(35);
    for (let round = 0; round < 20; round++) {
        const halts = someHalts(draw);
        const from = Math.floor(draw() * 150);
        const span = { from, to: from + 1 + Math.floor(draw() * 60) };
        const found = whyOf(halts, span);
        const moments = Array.from({ length: span.to - span.from }, (_, i) => span.from + i);
        const at = (moment: number) => halts.list.filter(({ start, duration }) => start <= moment && moment < start + duration);
        const stopped = moments.filter((moment) => at(moment).some(({ ofAll }) => ofAll)).length;
        const kindOfAll = (kind: string) => moments.filter((moment) => at(moment).some((halt) => halt.kind === kind)).length;
        const kindOfThreads = (kind: string) => moments.flatMap(at).filter((halt) => halt.kind === kind).length;
        ok(found.stopped === stopped && found.length === moments.length && found.unlisted === 7
            && found.ofAll.every(({ kind, ns }) => ns === kindOfAll(kind))
            && [...found.ofAll, ...found.ofThreads].every(({ kind }) => kind !== "gc_phase")
            && found.ofThreads.every(({ kind, ns }) => ns === kindOfThreads(kind))
            && found.threads === new Set(moments.flatMap(at).filter(({ ofThread }) => ofThread).map(({ thread }) => thread)).size,
        `halts of span ${round} add up`, found);
    }
    const halt = (thread: string, by: string, duration: number): Halt =>
        ({ kind: "monitor", ofAll: false, ofThread: true, start: 0, duration, what: "", thread, by, site: "" });
    const chain = [halt("a", "b", 9), halt("b", "c", 9), halt("b", "a", 2), halt("c", "closer", 9), halt("x", "y", 9), halt("y", "x", 9),
        halt("closer", "", 9)];
    const { roots } = whyOf({ length: 9, stopped: 0, kinds: [], list: chain }, { from: 0, to: 9 });
    same(roots, [{ thread: "closer", held: 3, halt: chain[6] }],
        "a chain of waits leads to the thread that held up all, and a circle to none");
    const slices: Slices = {
        startNs: 1000, bucketNs: 10, buckets: 4, threads: ["a"], count: 4, time: Int32Array.of(0, 1, 3, 3), thread: new Int32Array(4),
        node: Int32Array.of(0, 1, 1, 2), weight: Float64Array.of(10, 4, 3, 3), state: null,
    };
    same(paceOf(slices, { from: 1010, to: 1030 }), { here: 0.2, whole: 0.5 }, "the pace of two buckets, and of all");
    same(paceOf(slices, { from: 1006, to: 1008 }), { here: 1, whole: 0.5 }, "the pace of a span that is shorter than a bucket");
    same(leavesOf(slices, Int32Array.of(7, 8, 8), 1, 4, 9), [{ name: 8, share: 1 }], "innermost frames with one name are one");
}
