// One function of the fleet: what it costs over time, by service, version, host or endpoint, and in which of these it costs how much; who
// calls it, and what it calls; its machine code, and where its source is.
import { formatInterval, formatShare, formatValue, plural } from "../model/figures";
import { splitName, visibleName } from "../model/names";
import { sourceOf } from "../model/source";
import { element } from "../page/dom";
import { FoundMethod, FunctionSeriesAnswer, FunctionsAnswer, Series, SeriesAnswer } from "./api";
import { Chart, Data, binsOf } from "./chart";
import { CPU_TIME } from "./kinds";
import { MachineCode } from "./machinecode";
import { MetricChart, MetricData } from "./metricchart";
import { Neighbours } from "./neighbours";
import { Page } from "./page";
import { link, nameOf } from "./parts";
import { textOf } from "./rules";
import { Span, State, quote, secondsIn, selector, spanOf, timesOf } from "./state";
import { tableOf } from "./table";
import { stepFor } from "./times";

const SPLITS = ["service", "version", "host", "endpoint"];
const LONGEST_RULE = 40; // characters of a method's name in that of a rule
const MOST_ROWS = 100;

type Group = FoundMethod["groups"][number];

// A search that finds this function only.
export function matchOf(name: string): string {
    return "/^" + escaped(name) + "$/";
}

// The choices that lead to this function, which the graph of its stacks shows, too.
export function choicesOf(name: string): Partial<State> {
    return { match: matchOf(name), hidden: [], part: "", graph: new URLSearchParams({ query: name }).toString() };
}

export function isOne(match: string): boolean {
    return match.startsWith("/^") && match.endsWith("$/");
}

// The text of a rule that fires when the method, with what it calls, exceeds a share of a service's time.
export function ruleAbout(method: string, type: string): string {
    const name = splitName(method).method.replace(/[^\w]+/g, "-").slice(-LONGEST_RULE);
    return textOf({ name: name + "-is-hot", keys: [["each", "service"], ["value", "total"], ["method", "^" + escaped(method) + "$"],
        ...(type === CPU_TIME ? [] : [["type", type] as [string, string]]), ["above", "5%"], ["for", "10m"]] });
}

function escaped(name: string): string {
    return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

// The weights as shares of the whole weight of the same value and step. A step in which nothing was measured has no share.
function sharesOf(data: Data, whole: Series[]): MetricData {
    const series = data.series.map(({ value, points }) => {
        const [own, all] = [binsOf(points, data), binsOf(whole.find((one) => one.value === value)?.points ?? [], data)];
        return { value, points: [...all].flatMap((sum, i): [number, number][] =>
            (sum > 0 ? [[data.span.from + i * data.step, own[i] / sum]] : [])) };
    });
    return { type: "", unit: "share", longest: false, step: data.step, span: data.span, series };
}

export class OneFunction {
    readonly root = element("section", { className: "one-function" });
    private readonly by = element("select", {});
    private readonly measure = element("select", {});
    private readonly chart: Chart;
    private readonly shares: MetricChart;
    private readonly tables = element("div", {});
    private readonly source = element("p", { className: "aside" });
    private readonly neighbours = new Neighbours();
    private readonly code = new MachineCode();
    private name = "";
    private page: Page | null = null;
    private data: Data | null = null;
    private shareData: MetricData | null = null;

    constructor() {
        const part = (span: Span | null) => this.page?.change(span ? { from: span.from, to: span.to, part: "" } : { part: "" });
        const hide = (hidden: string[]) => this.page?.change({ hidden });
        this.chart = new Chart("Weight of the function over time", { part, hide });
        this.shares = new MetricChart("Share of the function over time", { part, hide });
        this.measure.append(new Option("its share", ""), new Option("its weight", "weight"));
        this.measure.addEventListener("change", () => this.page?.change({ measure: this.measure.value }));
        this.by.append(...SPLITS.map((label) => new Option(label, label)));
        this.by.addEventListener("change", () => this.page?.change({ by: this.by.value, hidden: [] }));
        this.root.append(element("div", { className: "row" }, element("h2", {}, "Over time, with what it calls"),
            element("label", { className: "end" }, "Split by ", this.by), element("label", {}, "Show ", this.measure)),
        this.shares.root, this.chart.root, this.tables, this.neighbours.root, this.source, this.code.root);
    }

    // Returns what the answers lack.
    async load(page: Page, type: string, { name, groups }: FoundMethod): Promise<(string | undefined)[]> {
        this.page = page;
        this.name = name;
        const { state, questions } = page;
        const by = SPLITS.includes(state.by) ? state.by : "service";
        const asked = { ...timesOf(state), select: selector({ ...state, service: "" }), type, match: state.match };
        const step = stepFor(secondsIn(state));
        const [series, split, whole] = await Promise.all([
            questions.ask<FunctionSeriesAnswer>("/v1/functions/series", { ...asked, by, step }),
            questions.ask<FunctionsAnswer>("/v1/functions", { ...asked, by: by === "service" ? by : "service," + by }),
            questions.ask<SeriesAnswer>("/v1/series", { ...timesOf(state), select: asked.select, type, by, step }),
        ]);
        this.by.value = by;
        this.data = {
            type, step: series.step, span: { from: series.from, to: series.to },
            series: series.series.map(({ labels, points }) => ({
                value: labels[by] ?? "", points: points.map(([time, , total]): [number, number] => [time, total]),
            })),
        };
        this.shareData = sharesOf(this.data, whole.series);
        page.isOf(this.data.span);
        this.tables.replaceChildren(...split.methods.slice(0, 1).flatMap((method) => this.tablesOf(page, method, by, type)));
        this.code.load(page, name, groups.map(({ labels }) => labels.service ?? ""));
        this.draw(page);
        const lackOfStacks = await this.neighbours.load(page, name, asked, choicesOf);
        const rest = series.series_left_out?.series ?? 0;
        const lacks = rest > 0 ? `the chart lacks ${plural(rest, "value")} of ${by}, each with less` : "";
        return [series.missing_text, split.missing_text, lackOfStacks, lacks];
    }

    draw(page: Page): void {
        const { zone, part, hidden, measure } = page.state;
        const isShare = measure === "";
        this.measure.value = measure;
        this.shares.root.hidden = !isShare;
        this.chart.root.hidden = isShare;
        const [chart, data] = isShare ? [this.shares, this.shareData] : [this.chart, this.data];
        if (data) {
            chart.show(data, { zone, part: spanOf(part), hidden });
        }
        const address = sourceOf(new URLSearchParams(page.state.graph).get("source") ?? "", this.name);
        const how = "To have a link to its source here, enter the address of your repository or editor: More, Source at.";
        this.source.replaceChildren(...(address === "" ? [how]
            : [Object.assign(link("Source", address, "By the template under More, Source links"), { target: "_blank", rel: "noopener" })]));
    }

    private tablesOf(page: Page, { name, groups, groups_left_out: more }: FoundMethod, by: string, type: string): HTMLElement[] {
        const unit = type.split(":")[1] ?? "";
        const share = (of: number, low: number, high: number) =>
            [formatShare(of), element("span", { className: "quiet" }, " (" + formatInterval([low, high]) + ")")];
        const rest = groups.length - MOST_ROWS + (more?.groups ?? 0);
        const callers = new URLSearchParams({ view: "callers", query: name }).toString();
        return [tableOf(`Where ${visibleName(name)} runs`, [
            { title: "Service", kind: "name", cell: ({ labels: { service } }: Group) => [link(nameOf(service), page.link({ view: "service",
                service, part: "", by: "", hidden: [], graph: callers }), "Who calls it there")] },
            ...(by === "service" ? [] : [{ title: by[0].toUpperCase() + by.slice(1), kind: "text" as const,
                cell: ({ labels }: Group) => this.valueLink(page, by, labels[by] ?? "") }]),
            { title: "Self", kind: "number", hint: "of the samples of this row's recordings; the 95% interval",
                cell: ({ self_share: of, self_low: low, self_high: high }) => share(of, low, high) },
            { title: "Total", kind: "number", hint: "with what it calls",
                cell: ({ total_share: of, total_low: low, total_high: high }) => share(of, low, high) },
            { title: "Weight", kind: "number", hint: "in the function and what it calls",
                cell: ({ total }) => formatValue(total, unit) },
        ], groups.slice(0, MOST_ROWS)),
        ...(rest > 0 ? [element("p", { className: "aside" }, plural(rest, "more row") + ", each with less.")] : [])];
    }

    // A value that can be clicked narrows everything to it.
    private valueLink(page: Page, label: string, value: string): (Node | string)[] {
        return value === "" ? ["(none)"]
            : [link(nameOf(value), page.link({ where: [...page.state.where, label + "=" + quote(value)] }), "Only this " + label)];
    }
}
