// Shared by the views of locks and of memory: a chart over time, tables by class, and the viewer with the stacks that end at these classes.
import { visibleName } from "../model/names";
import { profileOf } from "../model/profile";
import { element, keepPlace } from "../page/dom";
import { GraphAnswer, SeriesAnswer } from "./api";
import { Chart, Data } from "./chart";
import { Leaves, askLeaves } from "./leaves";
import { titleOfType } from "./kinds";
import { Page, View } from "./page";
import { choosePart, emptyState, link, partBar, skeleton } from "./parts";
import { portable, secondsIn, selector, spanOf, timesOf } from "./state";
import { stepFor } from "./times";

export abstract class OfClasses implements View {
    abstract readonly word: string;
    abstract readonly title: string;
    readonly usesViewer = true;
    readonly usesSamples = true;
    readonly usesKind = false;
    readonly root = element("div", { className: "of-classes" });
    private readonly heading = element("h1", {});
    private readonly tabs = element("nav", { className: "tabs" });
    private readonly sentence = element("p", { className: "sentence" });
    private readonly chart: Chart;
    private readonly bar = element("div", {});
    private readonly content = element("div", {});
    private data: Data | null = null;
    private answers = new Map<string, Leaves>();
    private type = "";
    private types: string[] = [];
    private page: Page | null = null;

    // `all`: the types that the view can show, the default first. `command`: how to record them.
    constructor(private readonly all: string[], private readonly command: string) {
        this.chart = new Chart("Weight over time", { part: (span) => this.page && choosePart(this.page, "part")(span) });
        this.tabs.setAttribute("aria-label", "What is measured");
        this.root.append(element("div", { className: "row" }, this.heading, this.tabs), this.sentence, this.chart.root, this.bar,
            this.content);
        this.content.append(skeleton(5));
    }

    // Says the most important thing of the tables.
    protected abstract say(answers: Map<string, Leaves>): (Node | string)[];
    protected abstract tables(page: Page, answers: Map<string, Leaves>): HTMLElement[];

    async load(page: Page): Promise<void> {
        this.page = page;
        const { state, questions, services } = page;
        const some = services.filter(({ name }) => state.service === "" || name === state.service);
        this.types = this.all.filter((type) => some.some((one) => type in one.types));
        this.type = this.types.includes(state.type) ? state.type : this.types[0] ?? "";
        this.answers = new Map();
        this.data = null;
        if (this.type === "") {
            page.partial([]);
            this.draw(page);
            page.viewer.hide();
            return;
        }
        const select = selector(state);
        const series = await questions.ask<SeriesAnswer>("/v1/series",
            { ...timesOf(state), select, type: this.type, step: stepFor(secondsIn(state)) });
        const span = { from: series.from, to: series.to };
        const part = spanOf(state.part) ?? span;
        for (const type of this.types) {
            this.answers.set(type, await askLeaves(page, type, part));
        }
        const graph = await questions.ask<GraphAnswer>("/v1/flamegraph",
            { select, type: this.type, from: String(part.from), to: String(part.to) });
        const profile = await questions.keep(profileOf(graph.page));
        page.isOf(span);
        page.partial([series.missing_text, graph.server.missing_text, ...[...this.answers.values()].map(({ missing }) => missing)]);
        this.data = { type: this.type, step: series.step, span, series: series.series };
        this.draw(page);
        if (profile.total > 0) {
            page.viewer.show(profile);
        } else {
            page.viewer.hide();
        }
    }

    draw(page: Page): void {
        const { state } = page;
        this.heading.textContent = (state.service === "" ? "All services" : visibleName(state.service)) + ": " + this.title.toLowerCase();
        this.chart.root.hidden = this.data === null;
        if (this.data) {
            this.chart.show(this.data, { zone: state.zone, part: spanOf(state.part), hidden: [] });
        }
        keepPlace(this.tabs, () => this.showTabs(page));
        this.bar.replaceChildren(partBar(page, "part", "In sight: "));
        const has = [...this.answers.values()].some(({ list }) => list.length > 0);
        this.sentence.replaceChildren(...(has ? this.say(this.answers) : []));
        keepPlace(this.content, () => this.content.replaceChildren(...(has ? this.tables(page, this.answers) : [this.empty(page)])));
    }

    private showTabs(page: Page): void {
        this.tabs.replaceChildren(...(this.types.length < 2 ? [] : this.types).map((type) => {
            const tab = link(titleOfType(type), page.link({ type, graph: portable(page.state.graph) }), type);
            if (type === this.type) {
                tab.setAttribute("aria-current", "true");
            }
            return tab;
        }));
    }

    private empty(page: Page): HTMLElement {
        return page.state.part !== "" && this.data
            ? emptyState("Nothing in this part of the time", "Press Escape on the chart to see the whole time again.", "")
            : emptyState("Not recorded in this time", "No recording of this time has such samples. Choose another service or a longer "
                + "time, or have them recorded:", this.command);
    }
}
