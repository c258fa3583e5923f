// Applies the user's filters to the columns before a tree is built.
import { Merge } from "./merge";
import { Columns, reorder, totalsOf } from "./tree";

export interface Filters {
    focus: number[]; // names: show only stacks that have all of these
    drop: number[]; // names: show no stack that has one of these
    hide: number[]; // names: remove these frames; their time is added to their callers
    recursion: boolean; // a method that calls itself becomes one frame
}

export function filtersNothing({ focus, drop, hide, recursion }: Filters): boolean {
    return focus.length + drop.length + hide.length === 0 && !recursion;
}

function flags(names: number[], strings: number): Uint8Array {
    const made = new Uint8Array(strings);
    names.forEach((name) => { made[name] = 1; });
    return made;
}

// The numbers of names and types, by which merged frames are distinguished.
export interface Kinds {
    strings: number;
    types: number;
}

export function filterColumns(columns: Columns, filters: Filters, kinds: Kinds): Columns {
    const kept = keepStacks(columns, filters, kinds);
    const some = filters.hide.length > 0 || filters.recursion ? mergeFrames(kept, filters, kinds) : kept;
    return withoutEmpty(some);
}

// Returns the same frames. Stacks that are not wanted have no weight.
function keepStacks(columns: Columns, { focus, drop }: Filters, { strings }: Kinds): Columns {
    if (focus.length + drop.length === 0) {
        return columns;
    }
    const { parent, name } = columns;
    const wanted = focus.map((one) => flags([one], strings));
    const unwanted = flags(drop, strings);
    const keep = new Uint8Array(parent.length).fill(1);
    for (const flag of wanted) {
        const has = new Uint8Array(parent.length);
        for (let i = 1; i < parent.length; i++) {
            has[i] = has[parent[i]] | flag[name[i]];
            keep[i] &= has[i];
        }
        keep[0] = 0;
    }
    const out = new Uint8Array(parent.length);
    for (let i = 1; i < parent.length; i++) {
        out[i] = out[parent[i]] | unwanted[name[i]];
        keep[i] &= 1 - out[i];
    }
    const weigh = (weights: Float64Array) => weights.map((weight, i) => weight * keep[i]);
    return {
        ...bare(columns), self: weigh(columns.self), other: columns.other && weigh(columns.other),
        place: movedPlaces(columns, Int32Array.from(keep, (is, i) => (is ? i : -1))),
    };
}

// Removes facts about single frames, because these no longer hold after filtering.
export function bare({ parent, name, type, self, other, place }: Columns): Columns {
    return { parent, name, type, self, other, place };
}

// Returns the places of the profile's frames after each frame of these columns has moved to its place in `target`.
export function movedPlaces({ place }: Columns, target: Int32Array): Int32Array | undefined {
    return place && place.map((at) => (at < 0 ? -1 : target[at]));
}

function mergeFrames(columns: Columns, { hide, recursion }: Filters, { strings }: Kinds): Columns {
    const { parent, name, type, self, other } = columns;
    const hidden = flags(hide, strings);
    const merge = new Merge(name[0], type[0], Boolean(other));
    const target = new Int32Array(parent.length);
    for (let i = 0; i < parent.length; i++) {
        const under = target[parent[i]];
        const again = recursion && under > 0 && merge.nameOf(under) === name[i];
        target[i] = i === 0 || hidden[name[i]] || again ? under : merge.child(under, name[i], type[i]);
        merge.add(target[i], self[i], other ? other[i] : 0);
    }
    return { ...merge.columns(), place: movedPlaces(columns, target) };
}

// Removes frames that no stack has any more.
export function withoutEmpty(columns: Columns): Columns {
    const { parent } = columns;
    const weight = totalsOf(parent, columns.self);
    if (columns.other) {
        totalsOf(parent, columns.other).forEach((total, i) => { weight[i] += total; });
    }
    const kept = new Int32Array(parent.length);
    const place = new Int32Array(parent.length);
    let count = 1;
    for (let i = 1; i < parent.length; i++) {
        if (weight[i] > 0) {
            place[i] = count;
            kept[count++] = i;
        }
    }
    if (count === parent.length) {
        return columns;
    }
    const order = kept.subarray(0, count);
    return {
        parent: reorder(parent, order).map((up) => place[up]),
        name: reorder(columns.name, order),
        type: reorder(columns.type, order),
        self: reorder(columns.self, order),
        other: columns.other && reorder(columns.other, order),
        place: movedPlaces(columns, place),
    };
}
