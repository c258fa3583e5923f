// Reads the spans of a recording's samples: which thread worked for which span of which trace, and when (web/README.md); and adds them up
// to traces.
import { demand, readColumn } from "./columns";
import { Json, isObject, numberOf, objectsOf, textOf } from "./parts";

// What one thread did for one span.
export interface SpanRow {
    trace: string; // id
    isRoot: boolean; // this id is that of a span, because the trace's own id is unknown
    span: string;
    endpoint: string; // "" = unknown
    thread: string;
    from: number; // of the first sample or event, in ns since the epoch
    to: number; // of the last one
    isExact: boolean; // events tell its time; otherwise it took at least that long
    cpu: number; // ns
    wall: number;
    lock: number;
    alloc: number; // bytes
    samples: number;
}

export type Weight = "cpu" | "wall" | "alloc" | "lock";

// All samples with one endpoint.
export interface Endpoint extends Record<Weight, number> {
    name: string; // "" = samples without an endpoint
    traces: number;
    samples: number;
}

export interface Spans {
    endpoints: Endpoint[];
    others: Endpoint & { count: number }; // endpoints that are not listed
    traces: number; // in the recording
    all: number; // rows that the recording has
    leftOut: number; // events of spans that were not even read into rows
    without: number; // samples without a span
    link: string; // template of the address of a trace; "" = none
    rows: SpanRow[]; // in order of their beginnings
}

const US = 1000;

// Throws a DataError if the part is damaged.
export async function readSpans(data: Json | null): Promise<Spans | null> {
    if (!data) {
        return null;
    }
    const { count } = data;
    demand(typeof count === "number" && Number.isInteger(count) && count >= 0 && count < 2 ** 31, "spans.count: missing");
    const texts = Array.isArray(data.texts) ? data.texts.map(textOf) : [];
    const roots = new Set(Array.isArray(data.roots) ? data.roots as unknown[] : []);
    const begin = numberOf(data.start_ns);
    const column = (key: string, limit: number, ascending = false) =>
        readColumn("spans." + key, data[key], count, Float64Array, { limit, ascending });
    const [start, length, cpu, wall, alloc, lock, samples] = await Promise.all([column("start_us", Infinity, true),
        ...["length_us", "cpu_ns", "wall_ns", "alloc_bytes", "lock_ns", "samples"].map((key) => column(key, Infinity))]);
    const exact = await readColumn("spans.exact", data.exact, count, Uint8Array, { limit: 2 });
    const [trace, span, endpoint, thread] = await Promise.all(
        ["trace", "span", "endpoint", "thread"].map((key) => column(key, texts.length)));
    const rows = Array.from({ length: count }, (_, i): SpanRow => ({
        trace: texts[trace[i]], isRoot: roots.has(trace[i]), span: texts[span[i]], endpoint: texts[endpoint[i]], thread: texts[thread[i]],
        from: begin + start[i] * US, to: begin + (start[i] + length[i]) * US,
        isExact: exact[i] === 1, cpu: cpu[i], wall: wall[i], alloc: alloc[i], lock: lock[i], samples: samples[i],
    }));
    return { endpoints: objectsOf(data.endpoints).map(readEndpoint), others: readOthers(data.more_endpoints),
        traces: numberOf(data.traces), all: numberOf(data.all), leftOut: numberOf(data.left_out),
        without: numberOf(data.without), link: textOf(data.link), rows };
}

function readEndpoint(data: Json): Endpoint {
    return { name: textOf(data.name), traces: numberOf(data.traces), cpu: numberOf(data.cpu_ns), wall: numberOf(data.wall_ns),
        alloc: numberOf(data.alloc_bytes), lock: numberOf(data.lock_ns), samples: numberOf(data.samples) };
}

function readOthers(data: unknown): Spans["others"] {
    const found = isObject(data) ? data : {};
    return { ...readEndpoint(found), count: numberOf(found.count) };
}

// Rows that belong together: those of a trace, or of a span.
export interface Work extends Omit<SpanRow, "thread"> {
    threads: string[];
    spans: number;
}

interface Sum {
    work: Work;
    threads: Set<string>;
    spans: Set<string>;
    beginIsExact: boolean;
    endIsExact: boolean;
}

// Adds up the rows with the same key, the longest first. The endpoint and the span are those of the first row that has one.
export function addUp(rows: SpanRow[], keyOf: (row: SpanRow) => string): Work[] {
    const found = new Map<string, Sum>();
    for (const row of rows) {
        const key = keyOf(row);
        const one = found.get(key);
        if (!one) {
            found.set(key, { work: { ...row, threads: [], spans: 0 }, threads: new Set([row.thread]), spans: new Set([row.span]),
                beginIsExact: row.isExact, endIsExact: row.isExact });
            continue;
        }
        const { work } = one;
        one.endIsExact = row.to === work.to ? one.endIsExact || row.isExact : row.to > work.to ? row.isExact : one.endIsExact;
        one.beginIsExact = one.beginIsExact || (row.isExact && row.from === work.from);
        work.to = Math.max(work.to, row.to);
        work.endpoint = work.endpoint || row.endpoint;
        for (const weight of ["cpu", "wall", "lock", "alloc", "samples"] as const) {
            work[weight] += row[weight];
        }
        one.threads.add(row.thread);
        one.spans.add(row.span);
    }
    return [...found.values()].map(({ work, threads, spans, beginIsExact, endIsExact }) =>
        ({ ...work, threads: [...threads], spans: spans.size, isExact: beginIsExact && endIsExact }))
        .sort((a, b) => (b.to - b.from) - (a.to - a.from) || a.from - b.from);
}

export const tracesOf = (rows: SpanRow[]): Work[] => addUp(rows, ({ trace }) => trace);
export const spansOf = (rows: SpanRow[]): Work[] => addUp(rows, ({ trace, span }) => trace + "/" + span);

// Returns the address of a trace in a tracing system, or "" if there is none: the template may be missing, and ids may be no hexadecimal
// numbers. base/text/trace_link.h has the places of a template.
export function traceAddress(template: string, trace: string, span: string): string {
    if (!/^https?:\/\//.test(template) || !/^[0-9a-f]+$/i.test(trace) || !/^[0-9a-f]*$/i.test(span)) {
        return "";
    }
    const low = trace.slice(-16);
    const values: Record<string, string> = { trace, trace64: low, trace10: BigInt("0x" + low).toString(), span };
    return template.replace(/\{(trace|trace64|trace10|span)\}/g, (_, key: string) => values[key]);
}
