// Timeline of a JVM, or of all JVMs of a service: key metrics by minute, one below the other with the same time, and the profile of the
// part that is chosen.
import { plural } from "../model/figures";
import { visibleName } from "../model/names";
import { profileOf } from "../model/profile";
import { element } from "../page/dom";
import { GraphAnswer, Metric, MetricsAnswer } from "./api";
import { Jvms, askJvms, labelsText, matchersOfLabels } from "./jvms";
import { CPU_TIME, orderTypes } from "./kinds";
import { MetricChart, MetricData, metricData } from "./metricchart";
import { Page, View } from "./page";
import { bringIntoSight, emptyState, partBar, skeleton } from "./parts";
import { Span, State, portable, recordingSelector, secondsIn, selector, spanOf, textOfSpan, timesOf } from "./state";
import { Threads, askThreads, chooser, kindOfType } from "./threads";
import { stepFor } from "./times";

// The values that have a chart, in this order.
const SHOWN = ["cpu", "cpu_queue", "gc_longest", "gc_share", "safepoint_share", "ttsp_longest", "alloc", "live_set", "lock_wait", "io_wait",
    "threads", "exceptions"];
const MINUTE = 60;

export class Timeline implements View {
    readonly word = "timeline";
    readonly title = "Timeline";
    readonly usesViewer = true;
    readonly usesSamples = true;
    readonly usesKind = true;
    readonly root = element("div", { className: "timeline" });
    private readonly heading = element("h1", {});
    private readonly jvm = element("select", {});
    private readonly sentence = element("p", { className: "sentence" });
    private readonly charts = element("div", { className: "charts" });
    private readonly bar = element("div", {});
    private readonly chooser = element("div", {});
    private leads = false; // the user has just chosen a part
    private threads: Threads | null = null; // null = of several JVMs
    private readonly nothing = element("div", {});
    private readonly known = new Map<string, { chart: MetricChart; root: HTMLElement }>();
    private shown: { metric: Metric; data: MetricData }[] = [];
    private page: Page | null = null;

    constructor() {
        this.root.append(element("div", { className: "row" }, this.heading, element("label", {}, "JVM ", this.jvm)), this.sentence,
            this.charts, this.bar, this.chooser, this.nothing);
        this.charts.append(skeleton(6));
    }

    async load(page: Page): Promise<void> {
        this.page = page;
        const { state, questions, services } = page;
        const select = selector(state);
        const step = Math.max(MINUTE, Number(stepFor(secondsIn(state))));
        const answer = await questions.ask<MetricsAnswer>("/v1/metrics",
            { ...timesOf(state), select: recordingSelector(state), metric: SHOWN.join(","), step: String(step) });
        const jvms = await askJvms(page, { ...state, where: [] });
        const span = { from: Math.floor(answer.from), to: Math.ceil(answer.to) };
        const part = spanOf(state.part) ?? span;
        const some = services.filter(({ name }) => state.service === "" || name === state.service);
        const type = state.type || (orderTypes(some.flatMap((one) => Object.keys(one.types)))[0] ?? CPU_TIME);
        this.threads = await askThreads(page, part, state.part !== "");
        const opened = this.threads?.opened;
        const graph = some.length === 0 || opened ? null : await questions.ask<GraphAnswer>("/v1/flamegraph",
            { select, type, from: String(part.from), to: String(part.to) });
        const profile = graph ? await questions.keep(profileOf(graph.page)) : null;
        page.isOf(span);
        page.partial([graph?.server.missing_text, answer.missing_text, answer.without_metrics > 0
            ? plural(answer.without_metrics, "recording") + " without key metrics, which an earlier server took, or whose format has none"
            : ""]);
        this.shown = answer.metrics.filter(({ series }) => series.length > 0)
            .map((metric) => ({ metric, data: metricData(metric, answer) }));
        this.showJvms(page, jvms);
        this.say(page, answer, jvms);
        this.draw(page);
        const has = profile !== null && profile.total > 0;
        this.nothing.replaceChildren(...(has || opened ? [] : [this.empty(state)]));
        if (opened && this.leads) { // the answer to a drag is below the charts
            bringIntoSight(this.bar);
        }
        this.leads = false;
        if (opened) {
            page.viewer.showRecording(opened.local, kindOfType(opened.local, type), spanOf(state.part));
        } else if (has) {
            page.viewer.show(profile);
        } else {
            page.viewer.hide();
        }
    }

    draw(page: Page): void {
        const { state } = page;
        this.heading.textContent = (state.service === "" ? "All services" : visibleName(state.service)) + ": timeline";
        const roots = this.shown.map(({ metric }) => this.chartOf(metric).root);
        if (roots.length !== this.charts.children.length || roots.some((root, i) => root !== this.charts.children[i])) {
            this.charts.replaceChildren(...roots);
        }
        this.shown.forEach(({ metric, data }) =>
            this.chartOf(metric).chart.show(data, { zone: state.zone, part: spanOf(state.part), hidden: [] }));
        this.bar.replaceChildren(partBar(page, "part", this.threads?.opened ? "Threads in " : "The profile below is of "));
        this.chooser.replaceChildren(...(this.threads ? [chooser(page, this.threads)] : []));
    }

    private choose(span: Span | null): void {
        this.leads = span !== null;
        this.page?.change({ part: textOfSpan(span), recording: "" });
    }

    private chartOf({ name, title, meaning }: Metric): { chart: MetricChart; root: HTMLElement } {
        const known = this.known.get(name);
        if (known) {
            return known;
        }
        const chart = new MetricChart(title, { part: (span) => this.choose(span) });
        const root = element("section", { className: "of-metric" }, element("h2", { title: meaning }, title), chart.root);
        root.dataset.metric = name;
        const made = { chart, root };
        this.known.set(name, made);
        return made;
    }

    // Offers the JVMs of the service. A choice selects its labels, in every view.
    private showJvms(page: Page, { list }: Jvms): void {
        const { state } = page;
        const present = JSON.stringify(state.where);
        const choices = list.map(({ service, labels }) => ({
            text: (state.service === "" ? service + ": " : "") + labelsText(labels), service, where: matchersOfLabels(labels),
        }));
        this.jvm.replaceChildren(new Option(list.length === 1 ? "the only one" : `all ${list.length} together`, ""),
            ...choices.map(({ text }, i) => new Option(visibleName(text).slice(0, 120), String(i))));
        const chosen = choices.findIndex(({ where, service }) =>
            JSON.stringify(where) === present && (state.service === "" || service === state.service) && where.length > 0);
        this.jvm.value = chosen < 0 ? "" : String(chosen);
        this.jvm.onchange = () => {
            const choice = choices[Number(this.jvm.value)];
            page.change(this.jvm.value === "" || !choice ? { where: [] } : { service: choice.service, where: choice.where });
        };
    }

    private say(page: Page, { metrics }: MetricsAnswer, { list, cut }: Jvms): void {
        const missing = metrics.filter(({ series }) => series.length === 0).map(({ title }) => title);
        const whole = page.state.where.length > 0 ? "" : list.length > 1
            ? `${cut ? "At least " : ""}${plural(list.length, "JVM")} together: rates are sums, shares are means, and the longest is of `
            + "any. " : "";
        this.sentence.textContent = this.shown.length === 0 ? ""
            : whole + "Drag over a chart: " + (this.threads ? "the threads below are then of that part, and why nothing ran is said there."
                : "the profile below is then of that part. Choose one JVM to see its threads.")
            + (missing.length > 0 ? " Not recorded: " + missing.join(", ") + "." : "");
    }

    private empty(state: State): HTMLElement {
        return state.part !== ""
            ? emptyState("No samples in this part of the time", "Press Escape on a chart to see the whole time again.", "")
            : emptyState("No recordings in this time", state.where.length > 0
                ? "Take a label away, or choose a longer time." : "Choose a service and a longer time.", "");
    }
}

// Returns the choices that lead to the timeline of a JVM.
export function timelineOf(state: State, service: string, labels: Record<string, string>): Partial<State> {
    return { view: "timeline", service, where: matchersOfLabels(labels), part: "", graph: portable(state.graph) };
}
