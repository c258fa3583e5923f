// Reads the parts of a page besides samples: findings, halts and locks, in the JSON of the program's reports (docs/formats). Members that
// are missing, or of an unexpected type, are left out, because these parts only add to the page.

export type Json = Record<string, unknown>;

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
export const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

// Reads a part of a page besides samples (web/README.md). Returns null if the page does not have it.
export type PartReader = (name: string) => Json | null;

// Returns null if there is nothing readable.
export function parsePart(text: string): Json | null {
    try {
        const data: unknown = JSON.parse(text);
        return isObject(data) ? data : null;
    } catch {
        return null;
    }
}

export interface Finding {
    severity: string;
    title: string;
    text: string;
    remedy: string;
    kind: string; // the kind of sample in which the evidence is, or "halt"; "" = none
    names: string[]; // methods and classes in which the evidence is, the best first
    marked: string[]; // those of its place: the innermost method, and the class
    worst: { start: number; duration: number; text: string } | null; // the worst time, in ns since the epoch; null = the whole recording
}

export function readFindings(data: Json | null): Finding[] {
    return objectsOf(data?.findings).map(({ severity, title, text, remedy, evidence, worst }) => {
        const { report, site, subject } = isObject(evidence) ? evidence : {} as Json;
        const methods = textOf(site).split(" < ").map((frame) => frame.replace(/:\d+$/, ""));
        return {
            severity: textOf(severity), title: textOf(title), text: textOf(text), remedy: textOf(remedy),
            kind: /--kind (\w+)/.exec(textOf(report))?.[1] ?? (textOf(report) === "" ? "" : "cpu"),
            names: [...methods, textOf(subject)].filter((name) => name !== ""),
            marked: [methods[0], textOf(subject)].filter((name) => name !== ""),
            worst: isObject(worst)
                ? { start: numberOf(worst.start_ns), duration: numberOf(worst.duration_ns), text: textOf(worst.text) } : null,
        };
    });
}

export interface HaltKind {
    kind: string;
    count: number;
    total: number; // ns, like all members below
    p99: number;
    longest: number;
}

export interface Halt {
    kind: string;
    ofAll: boolean; // no thread could run
    ofThread: boolean; // one thread could not run; if neither is true, it is a part of another halt, or stopped nothing
    start: number; // nanoseconds since the epoch
    duration: number;
    what: string;
    thread: string;
    by: string;
    site: string;
}

export interface Halts {
    length: number;
    stopped: number;
    kinds: HaltKind[];
    list: Halt[]; // the longest of each scope, ordered by time
}

export function readHalts(data: Json | null): Halts | null {
    const kinds = isObject(data?.kinds) ? Object.entries(data?.kinds as Json) : [];
    const list = objectsOf(data?.halts).map(({ kind, scope, start_ns: start, duration_ns: duration, what, thread, by, site }) => ({
        kind: textOf(kind), ofAll: scope === "all", ofThread: scope === "thread", start: numberOf(start), duration: numberOf(duration),
        what: textOf(what), thread: textOf(thread), by: textOf(by), site: textOf(site),
    }));
    return data === null ? null : {
        length: numberOf(data.duration_ns), stopped: numberOf(data.stopped_ns), list,
        kinds: kinds.map(([kind, sums]) => {
            const { count, total_ns: total, p99_ns: p99, max_ns: longest } = isObject(sums) ? sums : {} as Json;
            return { kind, count: numberOf(count), total: numberOf(total), p99: numberOf(p99), longest: numberOf(longest) };
        }).filter(({ count }) => count > 0),
    };
}

// Returns the halts that overlap a time: first those of all threads, then those of single threads, the longest first.
export function haltsWithin({ list }: Halts, from: number, to: number): Halt[] {
    return list.filter(({ start, duration }) => start < to && start + duration > from)
        .sort((a, b) => Number(b.ofAll) - Number(a.ofAll) || b.duration - a.duration);
}

export interface Lock {
    name: string; // name of the class
    address: string; // or ""
    site: string; // the program's own method that waited for it most of the time, or ""
    kind: string;
    waited: number; // in nanoseconds
    share: number;
    waits: number;
    holders: { name: string; waited: number }[]; // name: "" = unknown
}

export interface Locks {
    rows: LockGroup[]; // the most costly first
    idle: { waited: number; waits: number; threads: number } | null; // threads that were parked until there was work; not in the rows
}

export function readLocks(data: Json | null): Locks {
    const idle = isObject(data?.idle) ? data?.idle as Json : null;
    return {
        rows: groupLocks(objectsOf(data?.locks).map(readLock)),
        idle: idle && { waited: numberOf(idle.weight), waits: numberOf(idle.samples), threads: numberOf(idle.threads) },
    };
}

// The locks of one class and kind. The collector moves objects, so one lock may have several addresses.
export interface LockGroup extends Lock {
    locks: Lock[]; // the most costly first
}

// Joins the locks of one class and kind: a table of a hundred rows that read "java.lang.Object" answers nothing.
function groupLocks(locks: Lock[]): LockGroup[] {
    const groups = new Map<string, Lock[]>();
    for (const lock of locks) {
        const key = lock.kind + " " + lock.name;
        const group = groups.get(key);
        if (group) {
            group.push(lock);
        } else {
            groups.set(key, [lock]);
        }
    }
    return [...groups.values()].map(joined).sort((a, b) => b.waited - a.waited);
}

function joined(locks: Lock[]): LockGroup {
    const sum = (of: (lock: Lock) => number) => locks.reduce((all, lock) => all + of(lock), 0);
    const holders = sumsByName(locks.flatMap((lock) => lock.holders));
    const sites = sumsByName(locks.map(({ site, waited }) => ({ name: site, waited })));
    return {
        ...locks[0], locks, holders, address: locks.length > 1 ? "" : locks[0].address, site: sites[0].name,
        waited: sum((lock) => lock.waited), share: sum((lock) => lock.share), waits: sum((lock) => lock.waits),
    };
}

function sumsByName(parts: { name: string; waited: number }[]): { name: string; waited: number }[] {
    const sums = new Map<string, number>();
    parts.forEach(({ name, waited }) => sums.set(name, (sums.get(name) ?? 0) + waited));
    return [...sums].map(([name, waited]) => ({ name, waited })).sort((a, b) => b.waited - a.waited);
}

function readLock(lock: Json): Lock {
    return {
        name: textOf(lock.class), address: textOf(lock.address), site: textOf(lock.site), kind: textOf(lock.kind),
        waited: numberOf(lock.weight), share: numberOf(lock.share), waits: numberOf(lock.samples),
        holders: objectsOf(lock.holders).map(({ name, weight }) => ({ name: textOf(name), waited: numberOf(weight) })),
    };
}
