// Computes changes of a share between two profiles, and whether they are more than noise.
import { methodSums } from "./compare";
import { Interval, Z95, wilson } from "./figures";
import { Profile } from "./profile";

export interface Change {
    before: number; // before, after and change are shares
    after: number;
    change: number;
    interval: Interval | null; // the 95 % interval of the change; null = unknown
    sure: boolean; // the interval is completely on one side of 0
    detectable: number; // the least growth that would have been detected; 0 = unknown
}

const ERROR_RATE = 0.01; // the chance that a list of changes names one that does not exist

// Returns by what to divide the numbers of samples so that intervals of z = 1.96 become wide enough: this many tests together then err in
// at most one list of a hundred. A normal variable is beyond z with a chance of at most exp(-z²/2).
function widening(tests: number): number {
    return 2 * Math.log(Math.max(1, tests) / ERROR_RATE) / Z95 ** 2;
}

// Computes the 95 % interval of the change of a share. It is Newcombe's (1998, method 10), which is good for small shares, too.
function intervalOf(before: number, samplesBefore: number, after: number, samplesAfter: number): Interval | null {
    const one = wilson(before, samplesBefore, 1000);
    const two = wilson(after, samplesAfter, 1000);
    const change = after - before;
    return !one || !two ? null
        : [change - Math.hypot(after - two[0], one[1] - before), change + Math.hypot(two[1] - after, before - one[0])];
}

// Computes the change of a share. Each share has its number of effective samples. `tests`: how many changes are listed together, of which
// the sure ones are picked out; 0 = the question is about this one only.
export function changeOf(before: number, samplesBefore: number, after: number, samplesAfter: number, tests = 0): Change {
    const wider = tests > 0 ? widening(tests) : 1;
    const interval = intervalOf(before, samplesBefore, after, samplesAfter);
    const bounds = tests > 0 ? intervalOf(before, samplesBefore / wider, after, samplesAfter / wider) : interval;
    const sure = bounds !== null && (bounds[0] > 0 || bounds[1] < 0);
    return { before, after, change: after - before, interval, sure, detectable: 0 };
}

// Says what a sure change is. Only the program that compared the profiles knows how much recordings of one program differ.
export function changedWord({ changes }: Profile): string {
    return changes.size > 0 ? "surely changed" : "changed by more than sampling explains";
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
    const methods = methodSums(profile);
    return methods.map(({ name, self, otherSelf }) => ({
        name, ...changeOf(otherSelf / before.total, before.effectiveSamples, self / total, effectiveSamples, methods.length),
        ...changes.get(name)?.self,
    })).filter(({ sure }) => sure).sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}
