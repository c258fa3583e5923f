// Carries the user's choices over to another kind of sample: methods and threads with the same names, and the same time.
import { Profile } from "./profile";
import { Slices } from "./slices";

export interface Carried {
    method: number;
    focus: number[];
    drop: number[];
    hide: number[];
    threads: number[];
    from: number;
    to: number;
    axis: number[];
    pools: number[];
}

const NO_TIME: Pick<Carried, "threads" | "from" | "to" | "axis" | "pools"> = { threads: [], from: 0, to: -1, axis: [], pools: [] };

export function carry(chosen: Carried, before: Profile, after: Profile): Carried {
    const names = numbering(after.strings);
    const mapped = (list: number[]) => list.flatMap((name) => names(before.strings[name]));
    return {
        method: mapped([chosen.method])[0] ?? -1,
        focus: mapped(chosen.focus), drop: mapped(chosen.drop), hide: mapped(chosen.hide),
        ...(before.slices && after.slices ? carryTime(chosen, before.slices, after.slices) : NO_TIME),
    };
}

function numbering(texts: string[]): (text: string | undefined) => number[] {
    const numbers = new Map(texts.map((text, i) => [text, i]));
    return (text) => {
        const at = text === undefined ? undefined : numbers.get(text);
        return at === undefined ? [] : [at];
    };
}

// Carries over the threads, and the buckets that overlap the chosen range and the axis. If the new slices have no such buckets, takes all.
function carryTime({ threads, from, to, axis, pools }: Carried, before: Slices, after: Slices): typeof NO_TIME {
    const numbers = numbering(after.threads);
    const kept = (list: number[]) => list.flatMap((thread) => numbers(before.threads[thread])).sort((a, b) => a - b);
    const shift = before.startNs - after.startNs;
    const span = (begin: number, end: number): [number, number] | null => {
        const first = Math.max(0, Math.floor((begin * before.bucketNs + shift) / after.bucketNs));
        const last = Math.min(after.buckets, Math.ceil((end * before.bucketNs + shift) / after.bucketNs));
        return first < last ? [first, last] : null;
    };
    const [first, last] = (from > 0 || to >= 0 ? span(from, to < 0 ? Infinity : to) : null) ?? [0, -1];
    return {
        threads: kept(threads), pools: kept(pools), from: first, to: to < 0 ? -1 : last,
        axis: (axis.length === 2 ? span(axis[0], axis[1]) : null) ?? [],
    };
}
