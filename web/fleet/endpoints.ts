// The endpoints of the services: what each costs of every kind of sample, with intervals.
import { formatCount, formatInterval, formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element } from "../page/dom";
import { Answer } from "./api";
import { CPU_TIME, REQUESTS, orderTypes, titleOfType } from "./kinds";
import { Page } from "./page";
import { link, nameOf } from "./parts";
import { quote, selector } from "./state";
import { Column, tableOf } from "./table";

export const WALL_TIME = "wall:ns";
const SHOWN = 50;
const ASKED = "1000";
const HIDDEN = new Set(["holder:ns", "cpu:samples"]); // the weights of these say nothing of an endpoint

interface Weight {
    type: string;
    weight: number;
    weight_share: number;
    weight_low: number;
    weight_high: number;
    samples: number;
    per_request?: { value: number; low: number; high: number; hosts: number }; // if the requests are counted
}

export interface Endpoint {
    labels: { service: string; endpoint: string };
    types: Weight[];
}

export interface EndpointsAnswer extends Answer {
    types: { type: string; sampled: number; without: number; without_share: number; without_low: number; without_high: number }[];
    groups: Endpoint[];
    left_out?: { groups: number };
}

export function askEndpoints(page: Page, span: { from: number; to: number }): Promise<EndpointsAnswer> {
    return page.questions.ask<EndpointsAnswer>("/v1/endpoints",
        { select: selector(page.state), from: String(span.from), to: String(span.to), limit: ASKED });
}

// Whether any sample has an endpoint.
export function hasEndpoints({ groups }: EndpointsAnswer): boolean {
    return groups.some(({ labels }) => labels.endpoint !== "");
}

// The kinds that have a column: those of which some sample has an endpoint.
export function typesOf({ types: all, groups }: EndpointsAnswer): string[] {
    return orderTypes(all.map(({ type }) => type)).filter((type) => !HIDDEN.has(type)
        && groups.some(({ labels, types }) => labels.endpoint !== "" && types.some((one) => one.type === type && one.weight > 0)));
}

const weightOf = ({ types }: Endpoint, type: string): Weight | undefined => types.find((one) => one.type === type);

// The services that have endpoints. The endpoint with most of a kind comes first; samples without an endpoint come last.
function sorted({ groups }: EndpointsAnswer, type: string): Endpoint[] {
    const order = (one: Endpoint) => (one.labels.endpoint === "" ? -1 : weightOf(one, type)?.weight ?? 0);
    const named = new Set(groups.filter(({ labels }) => labels.endpoint !== "").map(({ labels }) => labels.service));
    return groups.filter(({ labels }) => named.has(labels.service)).sort((a, b) => order(b) - order(a));
}

export function sentence(answer: EndpointsAnswer, type: string): (Node | string)[] {
    const [first] = sorted(answer, type);
    const one = first && weightOf(first, type);
    return one ? [nameOf(first.labels.endpoint), " of ", nameOf(first.labels.service), ` has most ${titleOfType(type)}: `,
        `${weightText(one)}, ${formatShare(one.weight_share)} `,
        element("span", { className: "quiet" }, `(${formatInterval([one.weight_low, one.weight_high])})`), " of its service."] : [];
}

export function endpointTable(page: Page, answer: EndpointsAnswer, type: string): HTMLElement[] {
    const rows = sorted(answer, type);
    const rest = Math.max(0, rows.length - SHOWN) + (answer.left_out?.groups ?? 0);
    const services = (list: Endpoint[]) => new Set(list.map(({ labels }) => labels.service)).size;
    const nameless = services(answer.groups) - services(rows);
    const notes = [...(rest > 0 ? [plural(rest, "more endpoint") + " with less."] : []),
        ...(nameless > 0 ? [`${plural(nameless, "more service")} without any endpoint.`] : [])].join(" ");
    return [tableOf("Endpoints", columns(page, answer, type), rows.slice(0, SHOWN), ({ labels }, line) => {
        line.dataset.endpoint = labels.endpoint;
        line.className = labels.endpoint === "" ? "unsure" : "";
    }), ...(notes === "" ? [] : [element("p", { className: "aside" }, notes)])];
}

const unitOf = (type: string): string => type.split(":")[1] ?? "";
const weightText = ({ type, weight }: Weight): string => formatValue(weight, unitOf(type));

function columns(page: Page, answer: EndpointsAnswer, type: string): Column<Endpoint>[] {
    const types = typesOf(answer);
    const waits = types.includes(CPU_TIME) && types.includes(WALL_TIME);
    const made = types.map((one): Column<Endpoint> => ({
        title: titleOfType(one) + (one === type ? " ▾" : ""), kind: "number",
        hint: hintOf(one) + (one === type ? "; the table is in this order" : "; choose this kind in the bar to order by it"),
        cell: (row) => figure(weightOf(row, one)),
    }));
    return [
        { title: "Endpoint", kind: "method", cell: ({ labels }) => endpointLinks(page, labels) },
        { title: "Service", kind: "name", cell: ({ labels }) => [nameOf(labels.service)] },
        ...made,
        ...(waits ? [WAITING] : []),
        ...(answer.types.some(({ type: one }) => one === REQUESTS) ? [COUNTED] : []),
        { title: "Samples", kind: "number", hint: "of all kinds", cell: ({ types: all }) =>
            formatCount(all.reduce((sum, one) => sum + (one.type === REQUESTS ? 0 : one.samples), 0)) },
    ];
}

const hintOf = (type: string): string => (type === WALL_TIME ? "its threads running and waiting" : "of all samples in the time")
    + ", and its part of the service with the 95% interval";

function figure(one: Weight | undefined): (Node | string)[] {
    return one && one.weight > 0 ? [weightText(one), element("span", { className: "quiet of" },
        `${formatShare(one.weight_share)} (${formatInterval([one.weight_low, one.weight_high])})`), ...costOf(one)] : ["–"];
}

function costOf({ type, per_request: cost }: Weight): HTMLElement[] {
    const text = (value: number) => formatValue(value, unitOf(type));
    return cost ? [element("span", { className: "of", title: `With the 95% interval, by the requests of ${plural(cost.hosts, "host")}` },
        `${text(cost.value)} a request`), element("span", { className: "quiet of" }, `(${text(cost.low)} to ${text(cost.high)})`)] : [];
}

const COUNTED: Column<Endpoint> = {
    title: "Requests", kind: "number", hint: "counted by the spans of a tracer: all of them", cell: (row) => {
        const one = weightOf(row, REQUESTS);
        return one ? formatCount(one.weight) : "–";
    },
};

// The samples of the wall clock are of running and of waiting threads.
const WAITING: Column<Endpoint> = {
    title: "Waiting", kind: "number", hint: "wall-clock time without CPU time: waiting for locks, data, time or a processor",
    cell: (row) => {
        const [wall, cpu] = [WALL_TIME, CPU_TIME].map((type) => weightOf(row, type)?.weight ?? 0);
        return wall > cpu ? formatValue(wall - cpu, "ns") : "–";
    },
};

function endpointLinks(page: Page, { service, endpoint }: Endpoint["labels"]): Node[] {
    const { where } = page.state;
    const chosen = [...where.filter((matcher) => !matcher.startsWith("endpoint=")), "endpoint=" + quote(endpoint)];
    const to = { service, where: chosen, part: "" };
    return [
        endpoint === "" ? element("span", {}, "no endpoint") : link(nameOf(endpoint), page.link(to),
            "Its slowest requests: " + visibleName(endpoint)), element("span", {}, " "),
        link("profile", page.link({ ...to, view: "service", by: "", hidden: [] }), "The flame graph of this endpoint"),
    ];
}
