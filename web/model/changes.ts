// Computes changes of a share between two profiles, and whether they are more than noise.
import { Interval, wilson } from "./figures";

export interface Change {
    before: number; // before, after and change are shares
    after: number;
    change: number;
    interval: Interval | null; // the 95 % interval of the change; null = unknown
    sure: boolean; // the interval is completely on one side of 0
}

// Computes the change of a share. Each share has its number of effective samples. The interval is Newcombe's (1998, method 10), which is
// based on the two intervals of Wilson.
export function changeOf(before: number, samplesBefore: number, after: number, samplesAfter: number): Change {
    const change = after - before;
    const one = wilson(before, samplesBefore, 1000);
    const two = wilson(after, samplesAfter, 1000);
    if (!one || !two) {
        return { before, after, change, interval: null, sure: false };
    }
    const low = change - Math.hypot(after - two[0], one[1] - before);
    const high = change + Math.hypot(two[1] - after, before - one[0]);
    return { before, after, change, interval: [low, high], sure: low > 0 || high < 0 };
}
