// Shows what is alive and grows: the live bytes after collections, the leak candidates, and the paths that keep objects alive.
import { clockOf } from "../model/clock";
import { formatCount, formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { Candidate, Held, Live } from "../model/live";
import { element } from "./dom";
import { action, nameIn, table } from "./widgets";

const MOST = 50;
const LONGEST = 300;
const SECOND = 1e9;
const Z95 = 1.96;

const bytes = (value: number): string => formatValue(value, "bytes");
const name = (text: string): HTMLElement => nameIn(text === "" ? "" : visibleName(text).slice(0, LONGEST));

// showSite: shows the stacks that allocated objects in a method.
export function livePanel(live: Live, showSite: (site: string) => void): HTMLElement[] {
    return [element("p", {}, ...growthText(live)), ...candidates(live, showSite), ...holders(live)];
}

function growthText({ sets, heapPerHour }: Live): string[] {
    const [first, last] = [sets[0], sets[sets.length - 1]];
    const at = (set: typeof first) => bytes(set.bytes) + " ± " + bytes(Z95 * set.error) + " at " + clockOf(set.time, SECOND);
    return [sets.length === 0 ? "No collection of garbage was seen, so growth is unknown. "
        : "Alive after collections: " + at(first) + (sets.length > 1 ? ", " + at(last) : "") + ". ",
    heapPerHour === 0 ? "" : "The used heap changes by " + bytes(heapPerHour) + " an hour."];
}

function candidates({ leaks }: Live, showSite: (site: string) => void): HTMLElement[] {
    if (!leaks) {
        return [element("p", {}, "There were too few collections to tell what grows. Record for longer.")];
    }
    const { rows, proof, groups } = leaks;
    if (rows.length === 0) {
        return [element("p", {}, "None of " + formatCount(groups) + " groups of objects (class and allocating method) grew for sure.")];
    }
    const cells = (row: Candidate) => [name(row.class), row.site === "" ? "unknown"
        : action(visibleName(row.site).slice(0, LONGEST), "The stacks that allocated them",
            () => showSite(row.site)),
    bytes(row.bytes), bytes(row.growth) + " ± " + bytes(Z95 * row.growthError), bytes(row.perHour),
    row.quarters.map(formatShare).join(" → "), row.holder === "" ? "" : name(row.holder)];
    return [element("h2", {}, "Leak candidates"),
        element("p", {}, "Groups of objects that grew in each quarter of the recording. "
            + (proof === "proved" ? "" : "Not each quarter had a collection of old objects, so this may be garbage.")),
        table(["Class", "Allocated in", "Alive", "Grew by", "An hour", "Quarters", "Held by"], ["Alive", "Grew by", "An hour"],
            rows.slice(0, MOST).map(cells)), ...cutOff(rows, "candidates")];
}

function holders({ held, missing }: Live): HTMLElement[] {
    const without = missing.map(({ reason, bytes: size }) => bytes(size) + ": " + visibleName(reason));
    const why = without.length === 0 ? [] : [element("p", {}, "Without a path: " + without.join("; ") + ".")];
    if (held.length === 0) {
        return [element("p", {}, "What keeps objects alive was not recorded: candor record -e live --paths"), ...why];
    }
    const cells = (row: Held) => [name(row.holder || "not reached"), name(row.class), bytes(row.bytes), formatCount(row.objects),
        name(row.path.join(" ← "))];
    return [element("h2", {}, "What keeps objects alive"),
        table(["Holder", "Class", "Alive", "Sampled objects", "Path, from the object"], ["Alive", "Sampled objects"],
            held.slice(0, MOST).map(cells)), ...cutOff(held, "paths"), ...why];
}

function cutOff(rows: unknown[], word: string): HTMLElement[] {
    return rows.length > MOST ? [element("p", {}, "The first " + MOST + " of " + rows.length + " " + word + ".")] : [];
}
