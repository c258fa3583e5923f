// Makes one profile of two: the frames of both, each with its weight in the later profile and in the earlier one.
import { INDEPENDENT } from "./figures";
import { Merge } from "./merge";
import { Method, sumMethods } from "./methods";
import { FIRST_LIBRARY, Owners } from "./own";
import { Profile } from "./profile";
import { buildTree } from "./tree";

const PRUNED = "Small branches of the graph are merged into their callers. The table counts all samples.";

// Returns the sums of all methods over all samples. A pruned tree has them from the server.
export function methodSums(profile: Profile): Method[] {
    return profile.sums ?? sumMethods(buildTree(profile.columns, profile.strings), profile.strings);
}

// Numbers texts in the order in which they come.
class Numbers {
    readonly texts: string[] = [];
    private readonly known = new Map<string, number>();

    of(text: string): number {
        const at = this.known.get(text) ?? this.texts.push(text) - 1;
        this.known.set(text, at);
        return at;
    }
}

export function compareProfiles(before: Profile, after: Profile): Profile {
    const strings = new Numbers();
    const types = new Numbers();
    const sides = [after, before].map((profile) => ({
        profile, names: profile.strings.map((name) => strings.of(name)), kinds: profile.types.map((type) => types.of(type)),
    }));
    const { columns: root } = after;
    const merge = new Merge(sides[0].names[root.name[0]], sides[0].kinds[root.type[0]], true);
    sides.forEach(({ profile: { columns }, names, kinds }, side) => {
        const frames = new Int32Array(columns.parent.length);
        for (let i = 0; i < frames.length; i++) {
            frames[i] = i === 0 ? 0 : merge.child(frames[columns.parent[i]], names[columns.name[i]], kinds[columns.type[i]]);
            merge.add(frames[i], side === 0 ? columns.self[i] : 0, side === 0 ? 0 : columns.self[i]);
        }
    });
    const columns = merge.columns();
    const rows = columns.parent.length;
    const certain = () => new Uint16Array(rows).fill(INDEPENDENT);
    const ofNames = () => new Uint16Array(strings.texts.length).fill(INDEPENDENT);
    const pruned = after.sums !== null || before.sums !== null;
    return {
        ...after,
        strings: strings.texts,
        types: types.texts,
        columns: { ...columns, selfEffect: certain(), totalEffect: certain() },
        effects: { self: ofNames(), total: ofNames() },
        sums: pruned ? sumsOf(sides.map(({ profile, names }) => ({ methods: methodSums(profile), names }))) : null,
        owners: ownersOf(sides, strings.texts.length),
        before: {
            title: before.title, samples: before.samples, effectiveSamples: before.effectiveSamples, total: before.total,
            approximateShare: before.approximateShare, books: before.books, booksElsewhere: before.booksElsewhere,
            host: before.host, jvm: before.jvm, startNs: before.startNs, durationNs: before.durationNs,
        },
        changes: new Map(),
        code: new Map(),
        sources: new Map(),
        reasons: new Map(),
        slices: null,
        timeline: null,
        coarse: null,
        rest: null,
        byThread: false,
        notes: [...new Set([...after.notes, ...before.notes, ...(pruned ? [PRUNED] : [])])],
    };
}

function sumsOf([after, before]: { methods: Method[]; names: number[] }[]): Method[] {
    const made = new Map<number, Method>();
    const entry = (name: number) => {
        const known = made.get(name) ?? { name, self: 0, total: 0, otherSelf: 0, otherTotal: 0 };
        made.set(name, known);
        return known;
    };
    after.methods.forEach(({ name, self, total }) => Object.assign(entry(after.names[name]), { self, total }));
    before.methods.forEach(({ name, self, total }) => Object.assign(entry(before.names[name]), { otherSelf: self, otherTotal: total }));
    return [...made.values()];
}

function ownersOf(sides: { profile: Profile; names: number[] }[], count: number): Owners | null {
    const labels = new Numbers();
    const of = new Uint16Array(count);
    let some = false;
    for (const { profile: { owners }, names } of sides) {
        some = some || owners !== null;
        owners?.labels.slice(FIRST_LIBRARY).forEach((label) => labels.of(label));
        names.forEach((name, i) => {
            const owner = owners ? owners.of[i] : 0;
            of[name] = of[name] || (owner < FIRST_LIBRARY ? owner : FIRST_LIBRARY + labels.of(owners?.labels[owner] ?? ""));
        });
    }
    return some ? { labels: ["", "", "JDK", ...labels.texts], of } : null;
}
