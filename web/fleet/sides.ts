// What one click compares with: the time before, yesterday, last week, the last version, other hosts, or another value of a label.
import { quote } from "./state";

const DAY = 86_400;

export const LABEL = "label";
export const VERSION = "version";
export const HOSTS = "hosts";
export const RECORDINGS = "recordings"; // two of them, which the view of recordings has chosen

interface Side {
    word: string; // in the address
    title: string;
    back?: (length: number) => number; // for another time: how many seconds before
}

export const SIDES: Side[] = [
    { word: VERSION, title: "the last version" },
    { word: "before", title: "the time before", back: (length) => length },
    { word: "yesterday", title: "yesterday", back: () => DAY },
    { word: "week", title: "last week", back: () => 7 * DAY },
    { word: HOSTS, title: "other hosts" },
    { word: LABEL, title: "another value of a label" },
];

// Returns how many seconds before the chosen time the other side is; 0 = at the same time.
export function backOf(word: string, length: number): number {
    return SIDES.find((side) => side.word === word)?.back?.(length) ?? 0;
}

export const isTime = (word: string): boolean => SIDES.some((side) => side.word === word && side.back !== undefined);

// The matchers of both sides, if a label tells them apart. `one` is before, `two` after.
export function matchersOf(word: string, label: string, one: string, two: string): [string[], string[]] {
    if (word === HOSTS) {
        return [["host!=" + quote(two)], ["host=" + quote(two)]];
    }
    return word === LABEL && label !== "" ? [[label + "=" + quote(one)], [label + "=" + quote(two)]] : [[], []];
}
