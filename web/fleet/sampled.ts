// Finds what changed between two profiles by more than the draw of the samples explains. It knows nothing about hosts, so it is only for
// sides that the server cannot judge (judged.ts).
import { changeOf } from "../model/changes";
import { methodSums } from "../model/compare";
import { formatPoints, formatShare, plural } from "../model/figures";
import { Profile } from "../model/profile";
import { nameOf } from "./parts";

const MOST_CHANGES = 3;

// Says how many methods' self shares changed by more than the draw of the samples explains, and which changed most.
export function sampledSentence(before: Profile, after: Profile): (Node | string)[] {
    const shares = new Map<string, [number, number]>();
    [before, after].forEach((profile, side) => methodSums(profile).forEach(({ name, self }) => {
        const known = shares.get(profile.strings[name]) ?? [0, 0];
        known[side] = self / profile.total;
        shares.set(profile.strings[name], known);
    }));
    const some = [...shares].filter(([, [one, two]]) => one > 0 || two > 0);
    const changes = some.map(([name, [one, two]]) =>
        ({ name, ...changeOf(one, before.effectiveSamples, two, after.effectiveSamples, some.length) }));
    const sure = changes.filter((change) => change.sure).sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
    if (sure.length === 0) {
        return ["No method's share changed by more than sampling explains (" + plural(changes.length, "method") + ")."];
    }
    const words = sure.slice(0, MOST_CHANGES).flatMap(({ name, before: from, after: to, change }, i) =>
        [i > 0 ? ", " : "", nameOf(name), ` ${formatShare(from)} → ${formatShare(to)} (${formatPoints(change)})`]);
    return [`The self share of ${sure.length} of ${plural(changes.length, "method")} changed by more than sampling explains `
        + "(differences between hosts not counted): ", ...words, "."];
}
