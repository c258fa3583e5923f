// Reads the single events of a recording: what threads waited for, read and wrote, and threw, each with its time (web/README.md).
import { demand, readColumn } from "./columns";
import { Json, numberOf, textOf } from "./parts";

export interface Marks {
    all: number; // events that the recording has
    count: number; // events that are here, ordered by time
    kinds: string[];
    texts: string[];
    start: Float64Array; // ns since the epoch
    length: Float64Array; // ns
    kind: Uint8Array; // index of kinds
    thread: Int32Array; // this and the following: index of texts
    what: Int32Array;
}

const US = 1000;

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);

// Throws a DataError if the part is damaged.
export async function readMarks(data: Json | null): Promise<Marks | null> {
    if (!data) {
        return null;
    }
    const { count } = data;
    demand(typeof count === "number" && Number.isInteger(count) && count >= 0 && count < 2 ** 31, "marks.count: missing");
    const [kinds, texts, begin] = [textsOf(data.kinds), textsOf(data.texts), numberOf(data.start_ns)];
    const numbers = (key: string, ascending: boolean) =>
        readColumn("marks." + key, data[key], count, Float64Array, { limit: Infinity, ascending });
    const index = (key: string, list: string[]) => readColumn("marks." + key, data[key], count, Int32Array, { limit: list.length });
    const [start, length, kind, thread, what] = await Promise.all([
        numbers("start_us", true), numbers("length_us", false), index("kind", kinds), index("thread", texts), index("what", texts)]);
    return {
        all: numberOf(data.all), count, kinds, texts, thread, what, kind: Uint8Array.from(kind),
        start: start.map((us) => begin + us * US), length: length.map((us) => us * US),
    };
}

// Returns the events of each thread, by its name, in order of time.
export function byThread({ count, thread, texts }: Marks): Map<string, number[]> {
    const lists = new Map<string, number[]>();
    for (let i = 0; i < count; i++) {
        const name = texts[thread[i]];
        const list = lists.get(name);
        if (list) {
            list.push(i);
        } else {
            lists.set(name, [i]);
        }
    }
    return lists;
}
