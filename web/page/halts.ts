// Shows what stopped the program (all threads, or one of them) during the visible time.
import { clockOf } from "../model/clock";
import { formatCount, formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { Halt, Halts, haltsWithin } from "../model/parts";
import { App } from "./app";
import { element } from "./dom";
import { action, table } from "./widgets";

const MOST = 100;
const LONGEST = 300;
const MILLISECOND = 1e6;
const CLOSE = 0.001; // in buckets: numbers have times since the epoch to 256 ns only
const BESIDE = 0.5; // as a part of a halt's length: how much time is shown before and after it

const WORDS: Record<string, string> = {
    gc_pause: "GC pause", safepoint: "safepoint", vm_operation: "VM operation", monitor: "wait for a monitor", wait: "Object.wait",
    park: "parked", sleep: "sleep", pinned: "pinned virtual thread", allocation_stall: "allocation stall", socket_read: "read of a socket",
    socket_write: "write to a socket", file_read: "read of a file", file_write: "write to a file", file_force: "force of a file",
    class_load: "class loading", gc_phase: "phase of a pause", vm_operation_beside: "VM operation beside threads",
    safepoints_counted: "safepoints, as the JVM counted them", deoptimization: "deoptimization", exception: "exception",
};

export const haltWord = (kind: string): string => WORDS[kind] ?? visibleName(kind);

export function haltsPanel(app: App, halts: Halts): HTMLElement[] {
    const { slices } = app.profile;
    const { from, to } = app.state;
    const part = slices && slices.startNs > 0 && (from > 0 || to >= 0) ? slices : null;
    const begin = part ? part.startNs + from * part.bucketNs : -Infinity;
    const end = part && to >= 0 ? part.startNs + to * part.bucketNs : Infinity;
    const all = haltsWithin(halts, begin, end);
    const duration = (ns: number) => formatValue(ns, "ns");
    const kinds = halts.kinds.map(({ kind, count, total, p99, longest }) =>
        [haltWord(kind), formatCount(count), ...[total, p99, longest].map((ns) => (ns > 0 ? duration(ns) : ""))]);
    const rows = all.slice(0, MOST).map((halt) => rowOf(app, halt));
    const where = part ? "In the chosen time: " : "Halts of all threads, then halts of single threads, the longest first: ";
    return [element("p", {}, "All threads were stopped for " + duration(halts.stopped) + ", "
        + formatShare(halts.length > 0 ? halts.stopped / halts.length : 0) + " of the recording."),
    table(["Kind", "Count", "Together", "99% below", "Longest"], ["Count", "Together", "99% below", "Longest"], kinds),
    element("p", {}, where + (rows.length === 0 ? "no halt that is listed" : rows.length + " of " + all.length + " halts. "
        + "Click a time to see it on the axis.")),
    ...(rows.length > 0 ? [table(["Time", "Length", "Kind", "Thread", "What", "Caused by"], ["Length"], rows)] : [])];
}

function rowOf(app: App, halt: Halt): (Node | string)[] {
    const name = (text: string) => element("bdi", { dir: "ltr" }, text === "" ? "" : visibleName(text).slice(0, LONGEST));
    const { what, site, by, thread, ofAll } = halt;
    const when = action(clockOf(halt.start, MILLISECOND), "Choose this time", () => chooseTime(app, halt.start, halt.duration));
    when.className = "when";
    return [when, formatValue(halt.duration, "ns"),
        haltWord(halt.kind), ofAll ? "all" : name(thread),
        element("span", {}, name(what), ...(site ? [element("br", {}), name(site)] : [])), name(by)];
}

// Chooses a time in whole buckets, and some time around it; and threads, as far as the profile has them. No threads: those that are chosen.
export function chooseTime(app: App, start: number, duration: number, beside = BESIDE, names: string[] = []): void {
    const { slices } = app.profile;
    if (slices && slices.startNs > 0) {
        const bucket = (ns: number) => (ns - slices.startNs) / slices.bucketNs;
        const from = Math.max(0, Math.min(slices.buckets - 1, Math.floor(bucket(start - duration * beside) + CLOSE)));
        const to = Math.max(from + 1, Math.min(slices.buckets, Math.ceil(bucket(start + duration * (1 + beside)) - CLOSE)));
        const wanted = new Set(names);
        const threads = wanted.size === 0 ? app.state.threads : slices.threads.flatMap((name, i) => (wanted.has(name) ? [i] : []));
        app.change({ from, to, threads, timeline: "shown" }, true);
    }
}
