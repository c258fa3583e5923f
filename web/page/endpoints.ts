// Shows what each endpoint of the program cost: CPU time, time of its threads, allocation, and waiting for locks.
import { formatCount, formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { Endpoint, Spans, Weight, tracesOf } from "../model/spans";
import { App } from "./app";
import { element } from "./dom";
import { chooseWork } from "./traces";
import { action, nameIn, table } from "./widgets";

const MOST = 50;
const LONGEST = 200;

const WEIGHTS: [Weight, string, string, string][] = [["cpu", "CPU", "ns", "uses most CPU time"],
    ["wall", "Wall clock", "ns", "takes most time"], ["alloc", "Allocated", "bytes", "allocates most"],
    ["lock", "Waited for locks", "ns", "waits most for locks"]];

export function endpointsPanel(app: App, spans: Spans): HTMLElement[] {
    const { endpoints, others } = spans;
    const sum = (weight: Weight) => endpoints.reduce((all, one) => all + one[weight], others[weight]);
    const known = WEIGHTS.filter(([weight]) => sum(weight) > 0);
    const by = known.some(([weight]) => weight === app.state.by) ? app.state.by : known.length > 0 ? known[0][0] : "cpu";
    const named = endpoints.filter(({ name }) => name !== "").sort((a, b) => b[by] - a[by]);
    const rows = [...named.slice(0, MOST), ...endpoints.filter(({ name }) => name === "")];
    const cells = (one: Endpoint) => [nameOf(app, spans, one), ...known.map(([weight, , unit]) => amount(one[weight], unit, sum(weight))),
        one.name === "" ? "" : formatCount(one.traces)];
    return [sentence(named, by, sum(by)), sorting(app, known, by),
        table(["Endpoint", ...known.map(([, title]) => title), "Traces"], [...known.map(([, title]) => title), "Traces"], rows.map(cells)),
        ...further(named.slice(MOST).reduce(plus, others), named.length - MOST, known)];
}

function sentence([first]: Endpoint[], by: Weight, all: number): HTMLElement {
    const [, , unit, does] = WEIGHTS.find(([weight]) => weight === by) as typeof WEIGHTS[number];
    if (first[by] === 0) {
        return element("p", {}, "No sample of this kind has an endpoint.");
    }
    return element("p", {}, nameIn(visibleName(first.name).slice(0, LONGEST)), " " + does + ": " + formatValue(first[by], unit) + ", "
        + formatShare(all > 0 ? first[by] / all : 0) + " of all samples of this kind. Click an endpoint to see its slowest trace.");
}

function sorting(app: App, known: typeof WEIGHTS, by: Weight): HTMLElement {
    return element("p", { className: "tools" }, "Order by ", ...known.map(([weight, title]) => {
        const button = action(title, "The endpoint with most of it first", () => app.change({ by: weight }));
        button.setAttribute("aria-pressed", String(weight === by));
        return button;
    }));
}

function amount(value: number, unit: string, all: number): string {
    return value > 0 ? formatValue(value, unit) + ", " + formatShare(value / all) : "";
}

function nameOf(app: App, { rows }: Spans, { name }: Endpoint): HTMLElement {
    const work = name === "" ? undefined : tracesOf(rows.filter(({ endpoint }) => endpoint === name))[0];
    const text = visibleName(name || "samples without an endpoint").slice(0, LONGEST);
    return work ? action(text, "Its slowest trace: choose its time and its threads", () => void chooseWork(app, work)) : nameIn(text);
}

const plus = (a: Spans["others"], b: Endpoint): Spans["others"] => ({
    ...a, traces: a.traces + b.traces, cpu: a.cpu + b.cpu, wall: a.wall + b.wall, alloc: a.alloc + b.alloc, lock: a.lock + b.lock,
});

// Says what the endpoints that have no row add up to.
function further(rest: Spans["others"], unlisted: number, known: typeof WEIGHTS): HTMLElement[] {
    const count = Math.max(0, unlisted) + rest.count;
    const sums = known.filter(([weight]) => rest[weight] > 0).map(([weight, title, unit]) => title + " " + formatValue(rest[weight], unit));
    return count > 0 ? [element("p", {}, "Further endpoints: " + formatCount(count) + ". Together: " + sums.join(", ") + ".")] : [];
}
