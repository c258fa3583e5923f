// Formats times of day, in UTC.
import { formatValue } from "./figures";

// Returns how many digits after the decimal point of the second a step of this many nanoseconds needs.
function digitsOf(stepNs: number): number {
    return stepNs >= 1e9 ? 0 : stepNs >= 1e8 ? 1 : stepNs >= 1e7 ? 2 : 3;
}

// Formats a date, for example "2026-11-25". Returns "" for a time that no calendar has.
export function dateOf(ns: number): string {
    const date = new Date(ns / 1e6);
    return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
}

// Formats a time of day, for example "12:03:07.21", with as many digits as a step of stepNs needs.
export function clockOf(ns: number, stepNs: number): string {
    const date = new Date(Math.floor(ns / 1e6 + 0.5));
    if (Number.isNaN(date.getTime())) {
        return "";
    }
    const digits = digitsOf(stepNs);
    return date.toISOString().slice(11, digits > 0 ? 20 + digits : 19);
}

// Formats when a bucket of time begins: the time of day, or the time since the beginning if that is all that is known.
export function bucketTime({ startNs, bucketNs }: { startNs: number; bucketNs: number }, bucket: number): string {
    return startNs > 0 ? clockOf(startNs + bucket * bucketNs, bucketNs) : formatValue(bucket * bucketNs, "ns");
}

export interface Tick {
    at: number; // share of the span
    label: string;
}

const SECOND = 1e9;
const STEPS = [1, 2, 5].flatMap((n) => [1e6, 1e7, 1e8, SECOND].map((size) => n * size))
    .concat([10, 15, 20, 30].map((n) => n * SECOND), [1, 2, 5, 10, 15, 30].map((n) => n * 60 * SECOND),
        [1, 2, 3, 6, 12, 24].map((n) => n * 3600 * SECOND))
    .sort((a, b) => a - b);

// Returns round times within a span, at most `most`, with their labels.
export function ticksOf(startNs: number, lengthNs: number, most: number, labelOf: (ns: number, stepNs: number) => string): Tick[] {
    const step = STEPS.find((ns) => lengthNs / ns <= most) ?? Math.ceil(lengthNs / most / (24 * 3600 * SECOND)) * 24 * 3600 * SECOND;
    const ticks: Tick[] = [];
    for (let ns = Math.ceil(startNs / step) * step; ns <= startNs + lengthNs; ns += step) {
        const at = (ns - startNs) / lengthNs;
        ticks.push({ at, label: labelOf(ns, step) });
    }
    return ticks;
}
