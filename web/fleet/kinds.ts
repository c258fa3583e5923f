// The words for what weights measure, and how a weight over a time is shown.
import { formatValue } from "../model/figures";

export const CPU_TIME = "cpu:ns";
export const ALLOCATION = "alloc_space:bytes";
export const LOCK_TIME = "lock:ns";
export const REQUESTS = "requests:count"; // counts of requests, which are no samples and have no stacks

const TITLES: [string, string][] = [
    [CPU_TIME, "CPU"], ["wall:ns", "Wall clock"], [ALLOCATION, "Allocation"], [LOCK_TIME, "Locks"], ["holder:ns", "Lock holders"],
    ["inuse_space:bytes", "Live heap"], ["malloc_space:bytes", "Native memory"], ["alloc_objects:count", "Allocated objects"],
    ["inuse_objects:count", "Live objects"],
];

// The types of the kinds of samples, as the program names these (src/profile/kinds.h).
const OF_KINDS: Record<string, string> = {
    cpu: CPU_TIME, wall: "wall:ns", alloc: ALLOCATION, lock: LOCK_TIME, holder: "holder:ns", malloc: "malloc_space:bytes",
};

// Returns "" for a kind that the server has no samples of.
export function typeOfKind(kind: string): string {
    return OF_KINDS[kind] ?? "";
}

export function titleOfType(type: string): string {
    return TITLES.find(([name]) => name === type)?.[1] ?? type;
}

// Orders the types of samples by how often people need them; types without a title come last.
export function orderTypes(types: Iterable<string>): string[] {
    const place = (type: string) => {
        const at = TITLES.findIndex(([name]) => name === type);
        return at < 0 ? TITLES.length : at;
    };
    return [...new Set(types)].filter((type) => type !== REQUESTS).sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

export interface Scale {
    unit: string; // of the axis
    of: (rate: number) => number; // a weight a second in that unit
    text: (rate: number) => string;
}

const BYTES: [string, number][] = [["GiB/s", 2 ** 30], ["MiB/s", 2 ** 20], ["KiB/s", 2 ** 10], ["B/s", 1]];

// Chooses a unit for weights a second. most: the largest of them.
export function scaleOf(type: string, most: number): Scale {
    const text = (rate: number) => rateText(type, rate);
    if (type.endsWith(":ns")) {
        return { unit: type === CPU_TIME ? "cores" : "threads", of: (rate) => rate / 1e9, text };
    }
    if (type.endsWith(":bytes")) {
        const [unit, size] = BYTES.find(([, least]) => most >= least) ?? BYTES[BYTES.length - 1];
        return { unit, of: (rate) => rate / size, text };
    }
    return { unit: (type.split(":")[1] ?? "") + "/s", of: (rate) => rate, text };
}

// Formats a number of something, for example "2 threads".
export function countText(value: number, unit: string): string {
    const text = value > 0 && value < 0.005 ? "<0.01 " + unit : formatValue(value, unit);
    return /^1 (core|thread)s$/.test(text) ? text.slice(0, -1) : text;
}

// Formats a weight a second, for example "1.23 cores".
export function rateText(type: string, rate: number): string {
    if (type.endsWith(":bytes")) {
        return formatValue(rate, "bytes") + "/s";
    }
    const { unit, of } = scaleOf(type, rate);
    const value = of(rate);
    return countText(value, unit);
}
