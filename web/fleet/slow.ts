// The requests that cost most, as the server finds them in the recordings that it still has.
import { formatCount, formatValue, plural } from "../model/figures";
import { element } from "../page/dom";
import { Answer } from "./api";
import { Page } from "./page";
import { emptyState, link, nameOf } from "./parts";
import { Heat } from "./spanheat";
import { Cell, selector } from "./state";
import { Column, tableOf } from "./table";
import { momentText } from "./times";

export interface SpanRow {
    trace_id: string;
    span_id: string;
    trace_link?: string;
    service: string;
    host: string;
    endpoint: string;
    from_ns: number;
    to_ns: number;
    cpu_ns: number;
    wall_ns: number;
    allocated_bytes: number;
    sampled_ns: number;
    samples: number;
    recording: number;
}

export interface SpansAnswer extends Answer {
    heat?: Heat;
    spans: SpanRow[];
    spans_left_out: number;
    spans_outside: number; // those that the heat map has, and the cell has not
    samples_without: number;
    samples_beyond: number;
    recordings: { read: number; gone: number; unread: number; unreachable?: number; unreadable: number };
}

export const ORDERS: [string, string][] = [
    ["duration", "longest"], ["cpu", "most CPU time"], ["wall", "most waiting and running"], ["alloc", "most allocation"],
];
const ASKED = "50";
const COLUMNS = "60"; // of the heat map

export const unitOf = (order: string): string => (order === "alloc" ? "bytes" : "ns");

// The parameters that choose the requests of a cell.
export function cellParameters(order: string, cell: Cell | null): Record<string, string> {
    return cell === null ? {} : { order, began: `${cell.span.from}..${cell.span.to}`, value: `${cell.least}..${cell.most ?? ""}` };
}

export function askSpans(page: Page, span: { from: number; to: number }, cell: Cell | null): Promise<SpansAnswer> {
    return page.questions.ask<SpansAnswer>("/v1/spans", {
        select: selector(page.state), from: String(span.from), to: String(span.to), order: page.state.slow, limit: ASKED, heat: COLUMNS,
        ...cellParameters(page.state.slow, cell),
    });
}

// What the list lacks: data that was not read is missing; spans beyond the limit are only not shown.
export function missingSpans({ recordings: { gone, unread, unreachable = 0, unreadable } }: SpansAnswer): string {
    const parts = [[gone, "deleted"], [unread, "not read, for lack of time or beyond the limit"],
        [unreachable, "objects that cannot be fetched now"], [unreadable, "damaged"]] as const;
    const some = parts.filter(([count]) => count > 0).map(([count, why]) => `${formatCount(count)} ${why}`);
    return some.length === 0 ? "" : "requests of some recordings are not in the list: " + some.join(", ");
}

export function spanTable(page: Page, answer: SpansAnswer): HTMLElement[] {
    const { spans, spans_left_out: more, spans_outside: outside, recordings: { read } } = answer;
    if (spans.length === 0 && outside > 0) {
        return [emptyState("No request in this cell", `${plural(outside, "request")} of this time began at another moment, or `
            + (outside === 1 ? "has" : "have") + " another size.", "")];
    }
    if (spans.length === 0) {
        return [emptyState("No single requests", `${plural(read, "recording")} of this time ${read === 1 ? "was" : "were"} read, and no `
            + "sample belongs to a span. Programs with OpenTelemetry need two jars on their class path:",
        "java -cp candor-context.jar:candor-opentelemetry.jar:app.jar ...")];
    }
    return [tableOf("Requests", columns(page), spans, ({ trace_id: trace }, line) => { line.dataset.trace = trace; }),
        element("p", { className: "aside" }, `From ${plural(read, "recording")}. `
            + (more > 0 ? `${plural(more, "more span")} with less. ` : "")
            + "The time of a request is that between its first and its last sample, so it is at least this long.")];
}

function columns(page: Page): Column<SpanRow>[] {
    const { zone, slow } = page.state;
    const number = (order: string, title: string, hint: string, cell: (row: SpanRow) => string): Column<SpanRow> =>
        ({ title: title + (order === slow ? " ▾" : ""), hint, kind: "number", cell });
    const orNothing = (value: number, unit: string) => (value > 0 ? formatValue(value, unit) : "–");
    return [
        {
            title: "Request", kind: "method", cell: ({ endpoint, trace_id: trace }) =>
                [link(nameOf(endpoint || "no endpoint"), page.link({ trace }), "What its threads did, in every process")],
        },
        { title: "Service", kind: "name", cell: ({ service }) => [nameOf(service)] },
        { title: "Host", kind: "text", cell: ({ host }) => [nameOf(host || "–")] },
        { title: "Began", kind: "text", cell: ({ from_ns: from }) => momentText(from, zone) },
        number("duration", "Took at least", "from its first to its last sample", ({ sampled_ns: ns }) => formatValue(ns, "ns")),
        number("cpu", "CPU", "of all its threads", ({ cpu_ns: ns }) => orNothing(ns, "ns")),
        number("wall", "Wall clock", "its threads running and waiting, added up", ({ wall_ns: ns }) => orNothing(ns, "ns")),
        number("alloc", "Allocated", "by all its threads", ({ allocated_bytes: bytes }) => orNothing(bytes, "bytes")),
        { title: "Samples", kind: "number", hint: "few samples: rough figures", cell: ({ samples }) => formatCount(samples) },
        { title: "Trace", kind: "text", cell: ({ trace_id: id, trace_link: outside }) => traceLinks(id, outside) },
    ];
}

// The end of an id tells it apart. A link leads to the tracing system of the server's option --trace-link.
export function traceLinks(id: string, outside: string | undefined): Node[] {
    const short = element("code", { title: id }, "…" + id.slice(-8));
    return outside === undefined || !/^https?:\/\//.test(outside) ? [short]
        : [element("a", { href: outside, rel: "noreferrer", target: "_blank", title: outside }, short, " ↗")];
}
