// Reads what is alive and grows, from the members of `report --kind live --json` (docs/formats/report-json.md). It is separate from
// parts.ts because none of the other parts has these members. Members that are missing are left out.
import { Json, isObject, numberOf, objectsOf, textOf } from "./parts";

export interface LiveSet {
    time: number; // ns since the epoch
    bytes: number;
    error: number; // its standard error, as for all errors here
}

export interface Candidate {
    class: string;
    site: string; // "" = unknown, as for holder
    bytes: number;
    growth: number; // bytes
    growthError: number;
    perHour: number;
    quarters: number[]; // shares of what is alive in the end
    holder: string; // the one that holds most
}

export interface Held {
    holder: string; // "" = the search did not come so far
    class: string;
    path: string[];
    objects: number;
    bytes: number;
}

export interface Live {
    sets: LiveSet[];
    heapPerHour: number; // 0 = unknown
    leaks: { groups: number; proof: string; rows: Candidate[] } | null; // null = there were too few collections
    held: Held[];
    missing: { reason: string; bytes: number }[]; // objects without a holder
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);
const memberOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

function heldOf(value: unknown): Held[] {
    return objectsOf(memberOf(value, "paths")).map((row) => ({
        holder: textOf(row.holder), class: textOf(row.class), path: textsOf(row.path),
        objects: numberOf(row.objects), bytes: numberOf(row.bytes),
    }));
}

function candidateOf(row: Json): Candidate {
    return {
        class: textOf(row.class), site: textOf(row.site), bytes: numberOf(row.bytes), growth: numberOf(row.growth),
        growthError: numberOf(row.growth_error), perHour: numberOf(row.per_hour),
        quarters: Array.isArray(row.quarters) ? row.quarters.map(numberOf) : [], holder: heldOf(row.holders)[0]?.holder ?? "",
    };
}

export function readLive(data: Json | null): Live | null {
    if (!isObject(data?.live)) {
        return null;
    }
    const { sets, heap_per_hour: heapPerHour, holders } = data?.live as Json;
    const leaks = data?.leaks;
    return {
        sets: objectsOf(sets).map(({ time_ns: time, bytes, error }) =>
            ({ time: numberOf(time), bytes: numberOf(bytes), error: numberOf(error) })),
        heapPerHour: numberOf(heapPerHour), held: heldOf(holders),
        leaks: isObject(leaks) ? { groups: numberOf(leaks.groups), proof: textOf(leaks.proof),
            rows: objectsOf(leaks.candidates).map(candidateOf) } : null,
        missing: objectsOf(memberOf(holders, "missing")).map(({ reason, bytes }) => ({ reason: textOf(reason), bytes: numberOf(bytes) })),
    };
}
