// One service, or all together: a sentence, the weight over time, and the viewer with the flame graph and the table of methods.
import { visibleName } from "../model/names";
import { Profile, profileOf } from "../model/profile";
import { byId, element, keepPlace } from "../page/dom";
import { GraphAnswer, Parameters, SeriesAnswer } from "./api";
import { callGraph } from "./callgraph";
import { Chart, Data } from "./chart";
import { coveragePill } from "./coverage";
import { explorer } from "./explorer";
import { KindGrid } from "./kindgrid";
import { CPU_TIME, orderTypes } from "./kinds";
import { Page, View } from "./page";
import { choosePart, emptyState, partBar } from "./parts";
import { Span, State, secondsIn, selector, spanOf, timesOf } from "./state";
import { stepFor } from "./times";

// The time of the graph. null = it is relative, and known from the first answer only; otherwise both are asked for at once.
const partOf = (state: State): Span | null => spanOf(state.part) ?? (state.from > 0 ? { from: state.from, to: state.to } : null);

const overTime = (state: State, type: string): Parameters =>
    ({ ...timesOf(state), select: selector(state), type, by: state.by, step: stepFor(secondsIn(state)) });

const graphOf = (state: State, type: string, { from, to }: Span): Parameters =>
    ({ select: selector(state), type, from: String(from), to: String(to) });

export class ServiceView implements View {
    readonly word = "service";
    readonly title = "Service";
    readonly usesViewer = true;
    readonly usesSamples = true;
    readonly usesKind = true;
    readonly root = element("div", { className: "service" });
    private readonly heading = element("h1", {});
    private readonly kinds = new KindGrid();
    private readonly by = element("select", {});
    private readonly values = element("div", {});
    private readonly bar = element("div", {});
    private readonly coverage = element("p", { className: "aside" });
    private readonly nothing = element("div", {});
    private readonly graph = element("details", { className: "of-graph-calls" });
    private readonly drawn = element("div", {});
    private profile: Profile | null = null;
    private readonly chart: Chart;
    private types: string[] = [];
    private type = CPU_TIME;
    private data: Data | null = null;
    private page: Page | null = null;

    constructor() {
        this.chart = new Chart("Weight over time", {
            part: (span) => this.page && choosePart(this.page, "part")(span),
            hide: (hidden) => this.page?.change({ hidden }),
        });
        this.by.append(new Option("nothing", "")); // until the labels are known
        this.by.addEventListener("change", () => this.page?.change({ by: this.by.value, hidden: [] }));
        this.root.append(element("div", { className: "row" }, this.heading,
            element("label", { className: "end" }, "Split by ", this.by)), byId("answer"), this.kinds.root,
            this.chart.root, this.values, this.bar, this.coverage, this.graph, this.nothing);
        this.graph.hidden = true; // until there is a profile
        this.graph.append(element("summary", {}, "Call graph"), this.drawn);
        this.graph.addEventListener("toggle", () => {
            const calls = this.graph.open ? "drawn" : "";
            if (this.page && this.page.state.calls !== calls) {
                this.page.change({ calls }, false);
            }
        });
    }

    expect({ state, questions }: Page): void {
        const type = state.type || CPU_TIME;
        const part = partOf(state);
        questions.expect("/v1/series", overTime(state, type));
        if (part) {
            questions.expect("/v1/flamegraph", graphOf(state, type, part));
        }
    }

    async load(page: Page): Promise<void> {
        this.page = page;
        const { state, questions } = page;
        this.showHeading(state.service);
        const service = page.services.find(({ name }) => name === state.service);
        const types = orderTypes(Object.keys(service?.types ?? Object.assign({}, ...page.services.map((one) => one.types))));
        const type = state.type || (types.includes(CPU_TIME) ? CPU_TIME : types[0] ?? CPU_TIME);
        const askGraph = (span: Span) => questions.ask<GraphAnswer>("/v1/flamegraph", graphOf(state, type, span));
        const part = partOf(state);
        const early = part ? askGraph(part) : null;
        early?.catch(() => undefined); // awaited below, if there is a series
        const series = await questions.ask<SeriesAnswer>("/v1/series", overTime(state, type));
        const span = { from: series.from, to: series.to };
        this.types = types.includes(type) ? types : [...types, type];
        this.type = type;
        this.data = { type, step: series.step, span, series: series.series };
        if (byId("viewer").hidden) {
            this.coverage.replaceChildren(); // both are about what was loaded before
            this.nothing.replaceChildren();
            this.draw(page); // the chart need not wait for a graph, unless the graph before is still in sight
        }
        const graph = series.series.length === 0 ? null : await (early ?? askGraph(span));
        const profile = graph ? await questions.keep(profileOf(graph.page)) : null;
        page.isOf(span);
        page.partial([series.missing_text, graph?.server.missing_text]);
        const books = graph?.server.books ?? null;
        this.coverage.replaceChildren(...(books ? [coveragePill(books, type.split(":")[1] ?? ""), ": " + books.text] : []));
        this.showLabels(page);
        this.draw(page);
        this.nothing.replaceChildren(...(profile && profile.total > 0 ? [] : [this.empty(page, graph !== null)]));
        this.profile = profile && profile.total > 0 ? profile : null;
        this.showGraph(page);
        if (profile && profile.total > 0) {
            page.viewer.show(profile);
        } else {
            page.viewer.hide();
        }
        void this.kinds.load(page, this.types, () => this.kinds.draw(page, this.types, this.type));
    }

    draw(page: Page): void {
        const { state } = page;
        this.showHeading(state.service);
        if (this.data) {
            this.chart.root.hidden = this.data.series.length === 0;
            this.chart.show(this.data, { zone: state.zone, part: spanOf(state.part), hidden: state.hidden });
        }
        if (this.data) {
            const { series, span: { from, to } } = this.data;
            const open = this.values.querySelector("details")?.open ?? false;
            keepPlace(this.values, () => this.values.replaceChildren(...explorer(page, series, this.type, to - from, open)));
        }
        this.kinds.draw(page, this.types, this.type);
        this.bar.replaceChildren(partBar(page, "part", "In sight: "));
        this.showGraph(page);
    }

    private showGraph(page: Page): void {
        const isOpen = page.state.calls !== "";
        this.graph.hidden = this.profile === null;
        this.graph.open = isOpen;
        keepPlace(this.drawn, () => this.drawn.replaceChildren(...(isOpen && this.profile ? callGraph(page, this.profile) : [])));
    }

    private showHeading(service: string): void {
        this.heading.textContent = service === "" ? "All services" : visibleName(service);
    }

    private showLabels(page: Page): void {
        const { state, services } = page;
        const some = state.service === "" ? services : services.filter(({ name }) => name === state.service);
        const first = state.service === "" ? ["service"] : [];
        const labels = [...new Set([...first, ...some.flatMap((one) => Object.keys(one.labels)), state.by])]
            .filter((name) => name !== "").sort();
        this.by.replaceChildren(new Option("nothing", ""), ...labels.map((name) => new Option(name, name)));
        this.by.value = state.by;
    }

    private empty(page: Page, someTime: boolean): HTMLElement {
        if (someTime) {
            return emptyState("No samples in this part of the time", "Press Escape on the chart to see the whole time again.", "");
        }
        const title = "No samples of this kind in this time";
        return page.state.where.length > 0 ? emptyState(title, "Take a label away, choose a longer time, or another kind.", "")
            : emptyState(title, "Choose a longer time or another kind. The daemon's help says how to record more:",
                "candor daemon --help");
    }
}
