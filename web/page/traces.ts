// Shows the slowest traces, and the spans of the chosen time. A click on one chooses its time and its threads, so that the graph and the
// lanes show what they did.
import { clockOf } from "../model/clock";
import { formatCount, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { SpanRow, Spans, Work, spansOf, traceAddress, tracesOf } from "../model/spans";
import { App } from "./app";
import { element } from "./dom";
import { chooseTime } from "./halts";
import { action, nameIn, table } from "./widgets";

const MOST = 50;
const LONGEST = 200;
const MILLISECOND = 1e6;
const END_OF_ID = 8; // the digits that tell ids apart

const took = ({ from, to, isExact }: Work): string => (isExact ? "" : "≥ ") + formatValue(to - from, "ns");
const shortId = (id: string): string => (id.length > END_OF_ID ? "…" : "") + visibleName(id).slice(-END_OF_ID);
export const nameOfWork = ({ endpoint, trace }: { endpoint: string; trace: string }): string =>
    visibleName(endpoint === "" ? "trace " + shortId(trace) : endpoint).slice(0, LONGEST);

export const inWords = ({ from, to, isExact }: { from: number; to: number; isExact: boolean }): string =>
    (isExact ? "" : "at least ") + formatValue(to - from, "ns");

export function tracesPanel(app: App, spans: Spans): HTMLElement[] {
    const all = tracesOf(spans.rows);
    return [element("p", {}, "The slowest of " + plural(spans.traces, "trace") + ": " + nameOfWork(all[0]) + ", " + inWords(all[0])
        + ", from " + clockOf(all[0].from, MILLISECOND) + ". Click a trace to see what its threads did in its time."),
    worksTable(app, spans, all, "Trace"), ...chosenSpans(app, spans),
    element("p", {}, certainty(all) + leftOut(spans))];
}

function certainty(works: Work[]): string {
    const sampled = "from its first to its last sample, so it took at least that long; one that is shorter than the intervals of sampling "
        + "may be missing.";
    if (works.every(({ isExact }) => isExact)) {
        return "Events tell when each of them began and ended.";
    }
    return works.some(({ isExact }) => isExact)
        ? "Events tell when they began and ended. A trace or span with ≥ has no such event: it is seen " + sampled
        : "A trace or span is seen " + sampled;
}

function leftOut({ rows, all, leftOut: unread, traces, without }: Spans): string {
    const cut = rows.length + unread < all ? " Only the longest of the " + formatCount(traces) + " traces are in this page."
        : unread > 0 ? " " + plural(unread, "later event") + " of spans " + (unread === 1 ? "is" : "are") + " not in this page." : "";
    return cut + (without > 0 ? " " + plural(without, "sample") + (without === 1 ? " has" : " have") + " no span." : "");
}

function worksTable(app: App, { link }: Spans, works: Work[], head: "Trace" | "Span"): HTMLElement {
    const some = works.slice(0, MOST);
    const has = (weight: "cpu" | "wall" | "alloc" | "lock") => some.some((work) => work[weight] > 0);
    const amount = (value: number, unit: string) => (value > 0 ? formatValue(value, unit) : "");
    const columns: [string, (work: Work) => Node | string, boolean][] = [
        [head, (work) => action(nameOfWork(work), "Choose its time and its threads", () => void chooseWork(app, work)), true],
        ["Began", ({ from }) => element("span", { className: "when" }, clockOf(from, MILLISECOND)), true], ["Took", took, true],
        ["CPU", ({ cpu }) => amount(cpu, "ns"), has("cpu")], ["Wall clock", ({ wall }) => amount(wall, "ns"), has("wall")],
        ["Locks", ({ lock }) => amount(lock, "ns"), has("lock")], ["Allocated", ({ alloc }) => amount(alloc, "bytes"), has("alloc")],
        ["Spans", ({ spans }) => formatCount(spans), head === "Trace"], ["Threads", threadsOf, true],
        ["Id", (work) => idOf(link, work, head), true],
    ];
    const shown = columns.filter(([, , is]) => is);
    const numbers = ["Took", "CPU", "Wall clock", "Locks", "Allocated", "Spans"];
    return element("div", {}, table(shown.map(([title]) => title), numbers, some.map((work) => shown.map(([, cell]) => cell(work)))),
        ...(works.length > MOST ? [element("p", {}, "The slowest " + MOST + " of " + formatCount(works.length) + ".")] : []));
}

function threadsOf({ threads }: Work): HTMLElement {
    const names = threads.map((name) => visibleName(name).slice(0, LONGEST));
    return element("span", { title: names.slice(0, MOST).join(", ") },
        nameIn(names[0] + (names.length > 1 ? " and " + formatCount(names.length - 1) + " more" : "")));
}

// The end of an id tells it apart. It is a link if the page knows where the tracing system shows the trace.
function idOf(link: string, { trace, isRoot, span }: Work, head: "Trace" | "Span"): HTMLElement {
    const id = head === "Trace" ? trace : span;
    const short = nameIn(shortId(id));
    const href = traceAddress(isRoot ? "" : link, trace, head === "Trace" ? "" : span);
    return href === "" ? element("span", { title: visibleName(id) }, short)
        : element("a", { href, title: visibleName(id), target: "_blank", rel: "noopener noreferrer" }, short, " ↗");
}

// If the kind of sample in sight has nothing of this work, the wall clock is shown, which has.
export async function chooseWork(app: App, work: Work): Promise<void> {
    const { from, to, threads } = work;
    const here: Record<string, number> = { cpu: work.cpu, wall: work.wall, alloc: work.alloc, lock: work.lock };
    if (here[app.profile.kind] === 0 && work.wall > 0 && app.kinds.has("wall")) {
        await app.chooseKind(app.kinds.wordOf(app.kinds.find("wall")));
    }
    chooseTime(app, from, to - from, 0, threads);
}

// The spans in the chosen time, of the chosen threads.
function chosenSpans(app: App, spans: Spans): HTMLElement[] {
    const { state: { from, to, threads }, profile: { slices } } = app;
    if (!slices || slices.startNs === 0 || (from === 0 && to < 0)) {
        return [];
    }
    const begin = slices.startNs + from * slices.bucketNs;
    const end = to < 0 ? Infinity : slices.startNs + to * slices.bucketNs;
    const names = new Set(threads.map((thread) => slices.threads[thread]));
    const within = ({ from: first, to: last, thread }: SpanRow) =>
        first < end && last >= begin && (names.size === 0 || names.has(thread));
    const found = spansOf(spans.rows.filter(within));
    return [element("h2", {}, "Spans in the chosen time"),
        found.length > 0 ? worksTable(app, spans, found, "Span") : element("p", {}, "None of the listed spans is in this time.")];
}
