// Draws the life of a request: a lane for each thread of each process, in states, above them what explains each moment, and below them the
// places to which its time went.
import { ticksOf } from "../model/clock";
import { formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { Lane, Life, Moment, STATES, Step, Stretch, TraceState, Wait } from "../model/trace";
import { element } from "../page/dom";
import { className, methodName, nameOf } from "./parts";
import { svg } from "./svg";
import { tableOf } from "./table";

// The height of a bar distinguishes the states, as its color does.
const WORDS: Record<TraceState, { word: string; height: number }> = {
    running: { word: "on CPU", height: 18 },
    ready: { word: "waits for a processor", height: 15 },
    io: { word: "input or output", height: 12 },
    monitor: { word: "waits for a monitor", height: 9 },
    parked: { word: "parked, waits", height: 6 },
    sleeping: { word: "sleeps", height: 4 },
};
const WIDTH = 1000; // units of the picture across its whole time
const HEIGHT = 20;
const MOST_LANES = 60;
const MOST_BARS = 4000;
const MOST_STEPS = 30;
const TICKS = 5;
const LAST_TICK = 0.9; // further right there is no room for a label

export const wordOf = (state: TraceState): string => WORDS[state].word;

export function drawLife(life: Life): HTMLElement {
    const lanes = life.lanes.slice(0, MOST_LANES);
    const bars = lanes.reduce((sum, { stretches }) => sum + stretches.length, 0);
    const each = bars > MOST_BARS ? Math.floor(MOST_BARS / lanes.length) : Infinity;
    const rows = lanes.map((lane) => laneRow(lane, life.length, each));
    const more = [
        ...(life.lanes.length > MOST_LANES ? [`${plural(life.lanes.length - MOST_LANES, "more thread")}. `] : []),
        ...(bars > MOST_BARS ? [`The first ${each} pieces of each thread are drawn. `] : []),
    ].join("");
    return element("figure", { className: "life" }, legend(), axis(life.length), momentRow(life), ...rows,
        ...(more === "" ? [] : [element("p", { className: "aside" }, more)]));
}

function legend(): HTMLElement {
    return element("ul", { className: "keys" }, ...STATES.map((state) => element("li", {},
        element("span", { className: "state-key of-" + state }), wordOf(state))));
}

function axis(length: number): HTMLElement {
    const marks = ticksOf(0, length, TICKS, (ns) => formatValue(ns, "ns")).filter(({ at }) => at < LAST_TICK).map(({ at, label }) => {
        const mark = element("span", {}, label);
        mark.style.left = at * 100 + "%";
        return mark;
    });
    return element("div", { className: "life-row life-axis" }, element("span", {}, "since its first sample"),
        element("div", {}, ...marks));
}

function strip(shapes: SVGElement[], label: string): SVGElement {
    const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
    root.append(...shapes);
    return root;
}

function bar(from: number, to: number, length: number, state: TraceState, text: string): SVGElement {
    const { height } = WORDS[state];
    const made = svg("rect", {
        x: from / length * WIDTH, width: Math.max(1, (to - from) / length * WIDTH), y: HEIGHT - 1 - height, height, class: "of-" + state,
    });
    made.append(svg("title", {}, text));
    return made;
}

const spanOf = (from: number, to: number): string =>
    `${formatValue(Math.max(0, from), "ns")} to ${formatValue(Math.max(0, to), "ns")}`;

function momentRow({ moments, length }: Life): HTMLElement {
    const shapes = moments.filter((moment): moment is Moment & { state: TraceState } => moment.state !== null)
        .map(({ from, to, state }) => bar(from, to, length, state, `${spanOf(from, to)}: ${wordOf(state)}`));
    return element("div", { className: "life-row life-path" },
        element("span", { title: "The request's time at each moment: a thread on CPU first, then what the threads waited for" },
            "Critical path"), strip(shapes, "Critical path"));
}

function laneRow({ process, thread, stretches, allocations }: Lane, length: number, most: number): HTMLElement {
    // Waiting first, so that work is drawn over it.
    const shapes = stretches.slice(0, most).sort((a, b) => STATES.indexOf(b.state) - STATES.indexOf(a.state))
        .map((stretch) => bar(stretch.from, stretch.to, length, stretch.state, stretchText(stretch)));
    const marks = allocations.slice(0, most).map(({ at, piece }) => {
        const mark = svg("rect", { x: at / length * WIDTH, width: 2, y: 0, height: 4, class: "of-allocation" });
        mark.append(svg("title", {}, `allocates ${formatValue(piece.bytes ?? 0, "bytes")} in ${visibleName(piece.in ?? piece.method)}`));
        return mark;
    });
    const name = element("span", { title: visibleName(process + ": " + thread) }, nameOf(thread || "unknown thread"), " ",
        element("span", { className: "quiet" }, nameOf(process)));
    return element("div", { className: "life-row" }, name, strip([...shapes, ...marks], visibleName(process + ": " + thread)));
}

function stretchText({ piece, state, from, to, part }: Stretch): string {
    const sparse = part < 0.9 ? `, ${formatShare(part)} of that time` : "";
    return `${spanOf(from, to)}: ${wordOf(state)}${sparse}, ${formatValue(piece.ns ?? 0, "ns")} in ${visibleName(piece.in ?? piece.method)}`
        + ` (${plural(piece.samples, "sample")})`;
}

// The table of the waits for locks, if there are any: which lock, and who had it.
export function waitTable({ waits }: Life): HTMLElement[] {
    return waits.length === 0 ? [] : [element("h2", {}, "Waits for locks"), tableOf("Waits for locks", [
        { title: "Lock", kind: "method", cell: ({ lock }: Wait) => [lock === "" ? "unknown" : className(lock)] },
        { title: "Thread", kind: "text", cell: ({ thread }) => [nameOf(thread || "–")] },
        { title: "Where", kind: "method", cell: ({ method }) => [methodName(method)] },
        {
            title: "Held by", kind: "text", hint: "the thread that had it when the wait began",
            cell: ({ owner }) => [nameOf(owner || "unknown")],
        },
        { title: "Which worked for", kind: "text", cell: ({ endpoint }) => [nameOf(endpoint || "–")] },
        { title: "Waited", kind: "number", cell: ({ ns }) => formatValue(ns, "ns") },
    ], waits.slice(0, MOST_STEPS)), ...(waits.length > MOST_STEPS
        ? [element("p", { className: "aside" }, plural(waits.length - MOST_STEPS, "shorter wait") + ".")] : [])];
}

export function pathTable({ path, unknown, length }: Life): HTMLElement[] {
    const rows = path.filter(({ ns }) => ns > 0);
    const share = (ns: number) => (length > 0 ? formatShare(ns / length) : "–");
    const some = rows.slice(0, MOST_STEPS);
    const rest = rows.slice(MOST_STEPS).reduce((sum, { ns }) => sum + ns, 0);
    const notes = [
        ...(rest > 0 ? [`${plural(rows.length - MOST_STEPS, "more place")}: ${formatValue(Math.round(rest), "ns")}. `] : []),
        ...(unknown > 0 ? [`No sample: ${formatValue(Math.round(unknown), "ns")}, ${share(unknown)}. `] : []),
        "Estimated from samples: a moment counts for a thread that was on CPU; if there was none, for what the threads waited for.",
    ].join("");
    return [tableOf("Critical path", [
        {
            title: "State", kind: "text",
            cell: ({ state }: Step) => [element("span", { className: "state-key of-" + state }), wordOf(state)],
        },
        { title: "Where", kind: "method", cell: ({ method }) => [methodName(method)] },
        { title: "Thread", kind: "text", cell: ({ thread }) => [nameOf(thread || "–")] },
        { title: "Process", kind: "text", cell: ({ process }) => [nameOf(process || "–")] },
        { title: "Time", kind: "number", cell: ({ ns }) => formatValue(Math.round(ns), "ns") },
        { title: "Share", kind: "number", hint: "of the time from its first to its last sample", cell: ({ ns }) => share(ns) },
    ], some, ({ state }, line) => { line.dataset.state = state; }), element("p", { className: "aside" }, notes)];
}
