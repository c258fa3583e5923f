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
}

export function carry(chosen: Carried, before: Profile, after: Profile): Carried {
    const names = numbering(after.strings);
    const mapped = (list: number[]) => list.flatMap((name) => names(before.strings[name]));
    return {
        method: mapped([chosen.method])[0] ?? -1,
        focus: mapped(chosen.focus), drop: mapped(chosen.drop), hide: mapped(chosen.hide),
        ...(before.slices && after.slices ? carryTime(chosen, before.slices, after.slices) : { threads: [], from: 0, to: -1 }),
    };
}

function numbering(texts: string[]): (text: string | undefined) => number[] {
    const numbers = new Map(texts.map((text, i) => [text, i]));
    return (text) => {
        const at = text === undefined ? undefined : numbers.get(text);
        return at === undefined ? [] : [at];
    };
}

// Carries over the threads, and the buckets that overlap the chosen range. If the new slices have no such buckets, chooses all of them.
function carryTime({ threads, from, to }: Carried, before: Slices, after: Slices): Pick<Carried, "threads" | "from" | "to"> {
    const numbers = numbering(after.threads);
    const kept = threads.flatMap((thread) => numbers(before.threads[thread])).sort((a, b) => a - b);
    const all = from === 0 && to < 0;
    const shift = before.startNs - after.startNs;
    const begin = Math.max(0, Math.floor((from * before.bucketNs + shift) / after.bucketNs));
    const end = to < 0 ? -1 : Math.min(after.buckets, Math.ceil((to * before.bucketNs + shift) / after.bucketNs));
    const some = !all && begin < (end < 0 ? after.buckets : end);
    return { threads: kept, from: some ? begin : 0, to: some ? end : -1 };
}
