// Reads the data element of the page, and checks it. Afterwards, figures and indices can be trusted, but no names.
// web/README.md describes the data.
import { Method } from "./methods";
import { readSums } from "./sums";
import { Column, DataError, Maker, demand, readColumn } from "./columns";
import { INDEPENDENT, Interval, MOST_EFFECT } from "./figures";
import { FIRST_LIBRARY, Owners } from "./own";
import { bare } from "./filters";
import { Slices, Timeline, readSlices, timelineOf } from "./slices";
import { Columns, Values } from "./tree";

// The placeholder for the profile begins with this.
const NO_DATA = "/*";

export interface Effects {
    self: Uint16Array;
    total: Uint16Array;
}

// The texts of an account of the books, from the program's table of accounts. role: its part in the sum.
export interface AccountWords {
    name: string;
    role: string;
    title: string;
    meaning: string;
    unit: string; // of its figure; "" = it is a count
    keys: string[]; // its members in the books; the first has the figure
}

// The other profile of a comparison, which is the earlier one.
export interface Before {
    title: string;
    samples: number;
    effectiveSamples: number;
    total: number;
    approximateShare: number;
    books: Record<string, unknown> | null;
    booksElsewhere: boolean;
    host: string; // "" = unknown
    jvm: string;
    startNs: number;
    durationNs: number;
}

// The source lines of a method that cost most, and their neighbors, which have no weight.
export interface SourceLines {
    file: string;
    beyond: number; // lines with samples behind the end of the file: it is another version
    lines: { number: number; self: number; total: number; text: string }[];
}

export interface Profile {
    title: string;
    kind: string; // the word for report's --kind; "" = unknown
    kindTitle: string;
    pid: number; // 0 = unknown, as for all numbers here
    host: string; // "" = unknown, or several
    jvm: string;
    agent: string; // version of the agent that recorded the profile
    startNs: number; // nanoseconds since the epoch
    durationNs: number;
    command: string; // command line of the process; "" = unknown
    unit: string;
    whole: string; // what a share is a share of, for example "sampled CPU"; "" = unknown
    samples: number;
    effectiveSamples: number;
    approximateShare: number; // negative = unknown
    books: Record<string, unknown> | null;
    booksElsewhere: boolean; // the server from which it came has them
    accounts: AccountWords[]; // accounts that the books may have
    booksAbout: string; // what these books account for
    byThread: boolean; // the picture begins with one frame per thread
    before: Before | null;
    changes: Map<number, GivenChange>; // changes of methods between the whole profiles
    code: Map<number, string[]>; // by number of a method's name: parts of its machine code, the hottest first
    sources: Map<number, SourceLines>; // by number of a method's name
    reasons: Map<number, string>; // by number of a name that stands for the reason why there is no stack: what it means
    strings: string[];
    types: string[];
    owners: Owners | null;
    columns: Columns; // no rows = no samples
    total: number;
    effects: Effects; // by number of a method's name, over all places where the method is called
    sums: Method[] | null; // sums of all methods, if the tree is pruned and therefore lacks them
    slices: Slices | null;
    timeline: Timeline | null; // the slices without their frames
    coarse: Pick<Profile, "columns" | "slices"> | null; // a coarse copy (coarse.ts), if the data have one
    // Reads the whole profile, if this is only the coarse copy of it. null = it is whole.
    rest: (() => Promise<Profile>) | null;
    notes: string[];
}

// The change of a method, by name, as the program that compared the profiles computed it.
export interface GivenChange {
    self: Judged;
    total: Judged;
}

export interface Judged {
    interval: Interval;
    sure: boolean;
    detectable: number; // the least growth of the share that four of five such comparisons would detect; 0 = unknown
}

export type Json = Record<string, unknown>;

// Reads the profile from its text. Returns null if the page has none. Throws DataError with a text for the user.
export async function readProfile(text: string): Promise<Profile | null> {
    const first = await readFirst(text);
    return first?.rest ? first.rest() : first;
}

// Reads the profile from its text or, if it is a large one, only the coarse copy of it.
export async function readFirst(text: string): Promise<Profile | null> {
    if (text.trim() === "" || text.startsWith(NO_DATA)) {
        return null;
    }
    return firstOf(parse(text));
}

// Reads a profile that is an object already. Throws DataError.
export async function profileOf(data: Json): Promise<Profile> {
    const first = await firstOf(data);
    return first.rest ? first.rest() : first;
}

async function firstOf(data: Json): Promise<Profile> {
    const names = readStrings(data.strings);
    const types = readTexts(data.types, "types", 256);
    demand(types.length > 0, "types: none");
    if (!isObject(data.coarse)) {
        return withFacts(data, names, types, await readFrames(data, data, names, types));
    }
    const made = await readFrames(data, data.coarse, names, types);
    const coarse = { columns: bare(made.columns), slices: made.slices };
    const first = await withFacts(data, names, types, coarse);
    const rest = async (): Promise<Profile> => {
        const whole = await readFrames(data, data, names, types);
        demand(Math.abs(sumOf(whole.columns.self) - first.total) <= first.total * 1e-9, "coarse: its frames do not add up to the whole");
        return { ...first, ...whole, coarse, rest: null };
    };
    return { ...first, rest };
}

// Reads the frames, and their samples over time, from the data or from the coarse copy in them.
async function readFrames(data: Json, from: Json, { canonical, repeats }: Names, types: string[]):
Promise<Pick<Profile, "columns" | "slices">> {
    const columns = await readNodes(object(from.nodes, "nodes"), canonical.length, types.length);
    if (repeats) {
        columns.name = columns.name.map((s) => canonical[s]);
    }
    return {
        columns,
        slices: isObject(from.slices) ? await readSlices(from.slices, data.threads, columns.parent.length) : null,
    };
}

// Adds everything else to the frames.
async function withFacts(data: Json, { strings, canonical }: Names, types: string[],
    { columns, slices }: Pick<Profile, "columns" | "slices">): Promise<Profile> {
    const total = sumOf(columns.self);
    return {
        title: typeof data.title === "string" && data.title !== "" ? data.title : "Profile",
        command: textOf(data.command),
        kind: textOf(data.kind),
        kindTitle: textOf(data.kind_title),
        pid: count(data.pid),
        host: textOf(data.host),
        jvm: textOf(data.jvm),
        agent: textOf(data.agent),
        startNs: count(data.start_ns),
        durationNs: count(data.duration_ns),
        unit: typeof data.unit === "string" ? data.unit : "ns",
        whole: textOf(data.whole),
        samples: count(data.samples),
        effectiveSamples: count(data.effective_samples),
        approximateShare: typeof data.approximate_share === "number" ? data.approximate_share : -1,
        books: isObject(data.books) ? data.books : null,
        booksElsewhere: data.books_elsewhere === true,
        accounts: readAccounts(data.accounts),
        booksAbout: textOf(data.books_about),
        byThread: data.by_thread === true,
        before: isObject(data.before) && columns.other ? readBefore(data.before, columns) : null,
        changes: readChanges(data.changes, canonical),
        code: readCode(data.code, canonical),
        sources: readSources(data.source, canonical),
        reasons: readReasons(data.reasons, canonical),
        strings,
        types,
        owners: isObject(data.owners) ? await readOwners(data.owners, strings.length) : null,
        columns,
        total,
        effects: readEffects(data.methods, canonical),
        sums: readSums(data.sums, canonical),
        slices,
        timeline: slices && timelineOf(slices),
        coarse: null,
        rest: null,
        notes: [...notesOn(data, total), ...(Array.isArray(data.notes) ? readTexts(data.notes, "notes", 1000) : [])],
    };
}

async function readOwners(owners: Json, names: number): Promise<Owners> {
    const libraries = readTexts(owners.libraries, "owners.libraries", 10_000);
    const of = await readColumn("owners.of", owners.of, names, Uint16Array, { limit: FIRST_LIBRARY + libraries.length });
    return { labels: ["", "", "JDK", ...libraries], of };
}

function isObject(value: unknown): value is Json {
    return typeof value === "object" && value !== null;
}

function object(value: unknown, name: string): Json {
    demand(isObject(value), name + ": missing");
    return value;
}

function parse(text: string): Json {
    let data: unknown;
    try {
        data = JSON.parse(text);
    } catch (error) {
        throw new DataError("the profile inside this page is not valid JSON (" + String(error) + ")");
    }
    demand(isObject(data), "the profile inside this page is not an object");
    return data;
}

function count(value: unknown): number {
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

function textOf(value: unknown): string {
    return typeof value === "string" ? value : "";
}

// Returns the kind of a profile and its title without reading the rest.
export function readKind(text: string): { kind: string; title: string } {
    const { kind, kind_title: title } = parse(text);
    return { kind: textOf(kind), title: textOf(title) };
}

function readTexts(list: unknown, name: string, most = Infinity): string[] {
    demand(Array.isArray(list) && list.length <= most, name + ": not a list");
    demand(list.every((s) => typeof s === "string"), name + ": not a list of texts");
    return list as string[];
}

interface Names {
    strings: string[];
    canonical: Int32Array; // by string: the number of the first equal one
    repeats: boolean; // some strings are equal
}

// Gives equal strings the same number, so that a method is one method, whatever the writer did.
function readStrings(list: unknown): Names {
    const strings = readTexts(list, "strings");
    const seen = new Map<string, number>();
    const canonical = new Int32Array(strings.length);
    strings.forEach((s, i) => {
        canonical[i] = seen.get(s) ?? i;
        seen.set(s, canonical[i]);
    });
    return { strings, canonical, repeats: seen.size < strings.length };
}

function sumOf(weights: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < weights.length; i++) {
        sum += weights[i];
    }
    return sum;
}

async function readNodes(nodes: Json, names: number, types: number): Promise<Columns> {
    const rows = nodes.count;
    demand(typeof rows === "number" && Number.isInteger(rows) && rows >= 0 && rows < 2 ** 31, "nodes.count: missing");
    const effect = { least: 1, limit: MOST_EFFECT + 1 };
    const column = <T extends Values>(key: string, make: Maker<T>, bounds: Column) =>
        readColumn("nodes." + key, nodes[key], rows, make, bounds);
    const [parent, name, type, self, selfEffect, totalEffect, other] = await Promise.all([
        column("parent", Int32Array, { limit: Math.max(1, rows), ascending: true }),
        column("name", Int32Array, { limit: names }),
        column("type", Uint8Array, { limit: types }),
        column("self", Float64Array, { limit: Infinity }),
        column("self_effect", Uint16Array, effect),
        column("total_effect", Uint16Array, effect),
        nodes.before === undefined ? undefined : column("before", Float64Array, { limit: Infinity }),
    ]);
    for (let i = 1; i < rows; i++) {
        if (parent[i] >= i) {
            throw new DataError("nodes.parent[" + i + "]: not an earlier node");
        }
    }
    return { parent, name, type, self, other, selfEffect, totalEffect };
}

function readAccounts(accounts: unknown): AccountWords[] {
    demand(accounts === undefined || Array.isArray(accounts), "accounts: not a list");
    return ((accounts ?? []) as unknown[]).map((row, i) => {
        const { name, role, title, meaning, unit, keys } = object(row, "accounts[" + i + "]");
        demand(typeof name === "string" && typeof role === "string" && typeof title === "string" && typeof meaning === "string",
            "accounts[" + i + "]: not four texts");
        const known = keys === undefined ? [name + "_ns", name] : readTexts(keys, "accounts[" + i + "].keys", 100);
        return { name, role, title, meaning, unit: unit === undefined ? "ns" : textOf(unit), keys: known };
    });
}

function readBefore(before: Json, { other }: Columns): Before {
    return {
        title: typeof before.title === "string" ? before.title : "before",
        samples: count(before.samples),
        effectiveSamples: count(before.effective_samples),
        total: other ? sumOf(other) : 0,
        approximateShare: typeof before.approximate_share === "number" ? before.approximate_share : -1,
        books: isObject(before.books) ? before.books : null,
        booksElsewhere: before.books_elsewhere === true,
        host: textOf(before.host),
        jvm: textOf(before.jvm),
        startNs: count(before.start_ns),
        durationNs: count(before.duration_ns),
    };
}

// Whether the value is an effect: how certain a figure is compared with one of as many independent samples, in thousandths (its variance).
function isEffect(value: unknown): value is number {
    return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= MOST_EFFECT;
}

function readEffects(methods: unknown, canonical: Int32Array): Effects {
    demand(Array.isArray(methods), "methods: missing");
    const effects = {
        self: new Uint16Array(canonical.length).fill(INDEPENDENT),
        total: new Uint16Array(canonical.length).fill(INDEPENDENT),
    };
    methods.forEach((method: unknown, i) => {
        const [name, self, total] = Array.isArray(method) ? method as unknown[] : [];
        const known = typeof name === "number" && Number.isInteger(name) && name >= 0 && name < canonical.length;
        demand(known && isEffect(self) && isEffect(total), "methods[" + i + "]: not a name and two effects");
        effects.self[canonical[name]] = self;
        effects.total[canonical[name]] = total;
    });
    return effects;
}

function readChanges(changes: unknown, canonical: Int32Array): Map<number, GivenChange> {
    const made = new Map<number, GivenChange>();
    demand(changes === undefined || Array.isArray(changes), "changes: not a list");
    for (const row of (changes ?? []) as unknown[]) {
        const good = Array.isArray(row) && (row.length === 7 || row.length === 9) && row.every((value) => typeof value === "number")
            && Number.isInteger(row[0]) && row[0] >= 0 && row[0] < canonical.length;
        demand(good, "changes[" + made.size + "]: not a name, two intervals, whether they are sure, and what can be detected");
        const [name, selfLow, selfHigh, selfSure, totalLow, totalHigh, totalSure, ofSelf = 0, ofTotal = 0] = row as number[];
        made.set(canonical[name], {
            self: { interval: [selfLow, selfHigh], sure: selfSure === 1, detectable: ofSelf },
            total: { interval: [totalLow, totalHigh], sure: totalSure === 1, detectable: ofTotal },
        });
    }
    return made;
}

function readCode(code: unknown, canonical: Int32Array): Map<number, string[]> {
    const made = new Map<number, string[]>();
    demand(code === undefined || Array.isArray(code), "code: not a list");
    ((code ?? []) as unknown[]).forEach((row, i) => {
        const [name, text] = Array.isArray(row) ? row as unknown[] : [];
        const known = typeof name === "number" && Number.isInteger(name) && name >= 0 && name < canonical.length;
        demand(known && typeof text === "string", "code[" + i + "]: not a name and a text");
        made.set(canonical[name], [...(made.get(canonical[name]) ?? []), text]);
    });
    return made;
}

function readReasons(reasons: unknown, canonical: Int32Array): Map<number, string> {
    demand(reasons === undefined || Array.isArray(reasons), "reasons: not a list");
    return new Map(((reasons ?? []) as unknown[]).map((row, i) => {
        const [name, meaning] = Array.isArray(row) ? row as unknown[] : [];
        const known = typeof name === "number" && Number.isInteger(name) && name >= 0 && name < canonical.length;
        demand(known && typeof meaning === "string", "reasons[" + i + "]: not a name and its meaning");
        return [canonical[name as number], meaning as string];
    }));
}

function readSources(sources: unknown, canonical: Int32Array): Map<number, SourceLines> {
    const made = new Map<number, SourceLines>();
    demand(sources === undefined || Array.isArray(sources), "source: not a list");
    ((sources ?? []) as unknown[]).forEach((row, i) => {
        const [name, file, beyond, lines] = Array.isArray(row) ? row as unknown[] : [];
        const known = typeof name === "number" && Number.isInteger(name) && name >= 0 && name < canonical.length;
        demand(known && typeof file === "string" && Array.isArray(lines), "source[" + i + "]: not a name, a file, a number and lines");
        made.set(canonical[name as number], { file: file as string, beyond: count(beyond), lines: (lines as unknown[]).map((line) => {
            const [number, self, total, text] = Array.isArray(line) ? line as unknown[] : [];
            return { number: count(number), self: count(self), total: count(total), text: textOf(text) };
        }) });
    });
    return made;
}

// Returns a note if the file states another total. The page shows the sum of the self weights, and its reader should know of the
// difference.
function notesOn(data: Json, sum: number): string[] {
    const stated = data.total;
    return typeof stated === "number" && Math.abs(stated - sum) > sum * 1e-9
        ? ["The file states a total that its frames do not add up to. This page shows the sum of the frames."]
        : [];
}
