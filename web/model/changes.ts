// Computes changes of a share between two profiles, and whether they are more than noise.
import { methodSums } from "./compare";
import { Interval, wilson } from "./figures";
import { Profile } from "./profile";

export interface Change {
    before: number; // before, after and change are shares
    after: number;
    change: number;
    interval: Interval | null; // the 95 % interval of the change; null = unknown
    sure: boolean; // the interval is completely on one side of 0
    detectable: number; // the least growth that would have been detected; 0 = unknown
}

// Computes the change of a share. Each share has its number of effective samples. The interval is Newcombe's (1998, method 10), which is
// based on the two intervals of Wilson.
export function changeOf(before: number, samplesBefore: number, after: number, samplesAfter: number): Change {
    const change = after - before;
    const one = wilson(before, samplesBefore, 1000);
    const two = wilson(after, samplesAfter, 1000);
    if (!one || !two) {
        return { before, after, change, interval: null, sure: false, detectable: 0 };
    }
    const low = change - Math.hypot(after - two[0], one[1] - before);
    const high = change + Math.hypot(two[1] - after, before - one[0]);
    return { before, after, change, interval: [low, high], sure: low > 0 || high < 0, detectable: 0 };
}

export interface SureChange extends Change {
    name: number;
}

// Returns the methods whose self share surely changed, the largest change first: as the program that compared the profiles found, or else
// as the page computes it.
export function sureChanges(profile: Profile): SureChange[] {
    const { before, total, effectiveSamples, changes } = profile;
    if (!before) {
        return [];
    }
    return methodSums(profile).map(({ name, self, otherSelf }) => ({
        name, ...changeOf(otherSelf / before.total, before.effectiveSamples, self / total, effectiveSamples), ...changes.get(name)?.self,
    })).filter(({ sure }) => sure).sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}
