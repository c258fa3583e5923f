// What Changes and Services share: the question about what surely changed in a service, against its last version or another time, and its
// largest change.
import { splitName } from "../model/names";
import { element } from "../page/dom";
import { Parameters, Service } from "./api";
import { ChangesAnswer, points, shownOf } from "./judged";
import { nameOf } from "./parts";
import { VERSION, backOf, isTime } from "./sides";
import { State, secondsIn, timesOf } from "./state";

export const ONE_VERSION = "In this time it ran in one version";

// Whether the server has two sides to compare.
export function canAsk({ labels }: Service, against: string): boolean {
    return against !== VERSION || (labels.version?.length ?? 0) > 1;
}

// against: another time, or the last version.
export function questionAgainst(state: State, against: string): Parameters {
    const times = timesOf(state);
    const type = state.type === "" ? {} : { type: state.type };
    if (!isTime(against)) {
        return { ...times, ...type, by: "version" };
    }
    const words: Record<string, string> = { yesterday: "yesterday", week: "last-week" };
    return { ...times, ...type, before: words[against] ?? earlier(times, backOf(against, secondsIn(state))) };
}

// A time of the same length, this many seconds earlier.
function earlier({ from, to }: { from: string; to: string }, back: number): string {
    return from.startsWith("-") ? `-${2 * back}s..-${back}s` : `${Number(from) - back}..${Number(to) - back}`;
}

// Names the method with the largest sure change, and the change.
export function largestChange(answer: ChangesAnswer): (Node | string)[] {
    const [top] = shownOf(answer).regressions;
    return top ? [nameOf(splitName(top.method).method), " ", element("span", {
        className: (top.change ?? 0) > 0 ? "dearer" : "cheaper" }, points(top.change ?? 0))] : [];
}
