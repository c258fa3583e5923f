// Compares two times, or two values of a label: both over time, and the flame graph of what changed.
import { changeOf } from "../model/changes";
import { compareProfiles, methodSums } from "../model/compare";
import { Z95, formatChange, formatShare, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { Profile, profileOf } from "../model/profile";
import { element } from "../page/dom";
import { GraphAnswer, SeriesAnswer } from "./api";
import { Chart, Data } from "./chart";
import { CPU_TIME, orderTypes, titleOfType } from "./kinds";
import { Page, View } from "./page";
import { choosePart, emptyState, nameOf, partBar } from "./parts";
import { Span, State, quote, secondsIn, selector, spanOf, timesOf } from "./state";
import { lengthText, stepFor } from "./times";

const DAY = 86_400;

// The other times that one click compares with: the word in the address, its title, and how many seconds before.
const PRESETS: [string, string, (length: number) => number][] = [
    ["before", "the time before", (length) => length], ["yesterday", "yesterday", () => DAY], ["week", "last week", () => 7 * DAY],
];
const LABEL = "label";
const inOrder = new Intl.Collator("en", { numeric: true });
const MOST_CHANGES = 3;
const ERROR_RATE = 0.01; // the chance that a comparison names a change that there is not

interface Side {
    window: Span; // what its chart shows
    span: Span; // what is compared
    series: SeriesAnswer;
    graph: GraphAnswer;
}

export class Compare implements View {
    readonly word = "compare";
    readonly title = "Compare";
    readonly usesViewer = true;
    readonly root = element("div", { className: "compare" });
    private readonly heading = element("h1", {});
    private readonly against = element("select", {});
    private readonly label = element("select", {});
    private readonly one = element("select", {});
    private readonly two = element("select", {});
    private readonly ofLabel = element("span", { className: "of-label" }, element("label", {}, "Label ", this.label),
        element("label", {}, " before ", this.one), element("label", {}, " after ", this.two));
    private readonly sentence = element("p", { className: "sentence" });
    private readonly charts: [Chart, Chart];
    private readonly captions = [element("h2", {}), element("h2", {})] as const;
    private readonly bars = [element("div", {}), element("div", {})] as const;
    private readonly nothing = element("div", {});
    private readonly pictures: HTMLElement;
    private data: [Data, Data] | null = null;
    private page: Page | null = null;

    constructor() {
        const chart = (name: string, key: "part" | "other") =>
            new Chart(name, { part: (span) => this.page && choosePart(this.page, key)(span) });
        this.charts = [chart("Before, over time", "other"), chart("After, over time", "part")];
        this.against.append(...PRESETS.map(([word, title]) => new Option(title, word)), new Option("another value of a label", LABEL));
        const choose = (select: HTMLSelectElement, what: (value: string) => Partial<State>) =>
            select.addEventListener("change", () => this.page?.change(what(select.value)));
        choose(this.against, (against) => ({ against, other: "" }));
        choose(this.label, (label) => ({ label, one: "", two: "" }));
        choose(this.one, (one) => ({ one }));
        choose(this.two, (two) => ({ two }));
        this.pictures = element("div", { className: "two" }, ...[0, 1].map((i) =>
            element("section", {}, this.captions[i], this.charts[i].root, this.bars[i])));
        this.root.append(element("div", { className: "row" }, this.heading,
            element("label", {}, "Compare with ", this.against), this.ofLabel),
            this.sentence, this.pictures, this.nothing);
    }

    async load(page: Page): Promise<void> {
        this.page = page;
        const { state, services, questions } = page;
        const some = services.filter(({ name }) => state.service === "" || name === state.service);
        const types = orderTypes(some.flatMap((one) => Object.keys(one.types)));
        const type = state.type || (types[0] ?? CPU_TIME);
        const chosen = this.showChoices(page);
        const after = await this.ask(page, type, timesOf(state), state.against === LABEL ? matcher(chosen, chosen.two) : [], "part");
        const window = { from: after.series.from, to: after.series.to };
        const back = PRESETS.find(([word]) => word === state.against)?.[2](window.to - window.from) ?? 0;
        const other = { from: String(window.from - back), to: String(window.to - back) };
        const before = await this.ask(page, type, other, state.against === LABEL ? matcher(chosen, chosen.one) : [], "other",
            shifted(spanOf(state.part), -back));
        const profiles = await questions.keep(Promise.all([profileOf(before.graph.page), profileOf(after.graph.page)]));
        page.isOf(window);
        page.partial([before, after].flatMap(({ series, graph }) => [series.missing_text, graph.server.missing_text]));
        const data = (side: Side): Data => ({ type, step: side.series.step, span: side.window, series: side.series.series });
        this.data = [data(before), data(after)];
        this.heading.textContent = (state.service === "" ? "All services" : visibleName(state.service)) + ": " + titleOfType(type);
        const values = [chosen.one, chosen.two].map((value) =>
            (state.against === LABEL ? ": " + chosen.label + " " + visibleName(value) : ""));
        ["Before", "After"].forEach((word, i) => {
            this.captions[i].textContent = word + values[i] + ", " + lengthText([before, after][i].span);
        });
        this.draw(page);
        this.showGraph(page, profiles[0], profiles[1]);
    }

    draw(page: Page): void {
        const { state } = page;
        if (this.data) {
            const parts = [spanOf(state.other), spanOf(state.part)];
            this.charts.forEach((chart, i) => chart.show((this.data as [Data, Data])[i], { zone: state.zone, part: parts[i], hidden: [] }));
        }
        this.bars[0].replaceChildren(partBar(page, "other", "Compared: "));
        this.bars[1].replaceChildren(partBar(page, "part", "Compared: "));
    }

    private async ask(page: Page, type: string, times: { from: string; to: string }, matchers: string[], key: "part" | "other",
        otherwise: Span | null = null): Promise<Side> {
        const select = selector(page.state, matchers);
        const series = await page.questions.ask<SeriesAnswer>("/v1/series",
            { ...times, select, type, step: stepFor(secondsIn(page.state)) });
        const window = { from: series.from, to: series.to };
        const span = spanOf(page.state[key]) ?? otherwise ?? window;
        const graph = await page.questions.ask<GraphAnswer>("/v1/flamegraph",
            { select, type, from: String(span.from), to: String(span.to) });
        return { window, span, series, graph };
    }

    // Shows the choices, and returns the label and values that count: the first ones, if the address names none.
    private showChoices({ state, services }: Page): { label: string; one: string; two: string } {
        const some = services.filter(({ name }) => state.service === "" || name === state.service);
        const values = new Map<string, string[]>(state.service === "" ? [["service", services.map(({ name }) => name)]] : []);
        some.forEach(({ labels }) => Object.entries(labels).forEach(([name, list]) =>
            values.set(name, [...new Set([...(values.get(name) ?? []), ...list])].sort(inOrder.compare))));
        const several = [...values].filter(([, list]) => list.length > 1);
        const label = state.label || (several[0] ?? [...values][0] ?? [""])[0];
        const list = values.get(label) ?? [];
        const one = state.one || (list[0] ?? "");
        const two = state.two || (list.find((value) => value !== one) ?? one);
        const fill = (select: HTMLSelectElement, of: string[], value: string) => {
            select.replaceChildren(...[...new Set([...of, value])].map((text) => new Option(visibleName(text), text)));
            select.value = value;
        };
        fill(this.label, [...values.keys()], label);
        fill(this.one, list, one);
        fill(this.two, list, two);
        this.against.value = PRESETS.some(([word]) => word === state.against) || state.against === LABEL ? state.against : PRESETS[0][0];
        this.ofLabel.hidden = state.against !== LABEL;
        return { label, one, two };
    }

    private showGraph(page: Page, before: Profile, after: Profile): void {
        const lacks = before.total === 0 ? "before" : after.total === 0 ? "after" : "";
        this.nothing.replaceChildren(...(lacks === "" ? [] : [emptyState("Nothing to compare",
            "There are no samples of this kind on the side " + lacks + ". Compare with another time, or choose a longer one.", "")]));
        this.sentence.replaceChildren(...(lacks === "" ? changesText(before, after) : []));
        if (lacks === "") {
            page.viewer.show(compareProfiles(before, after));
        } else {
            page.viewer.hide();
        }
    }
}

function matcher({ label }: { label: string }, value: string): string[] {
    return label === "" ? [] : [label + "=" + quote(value)];
}

function shifted(span: Span | null, by: number): Span | null {
    return span && { from: span.from + by, to: span.to + by };
}

// Says how many methods' self shares changed by more than the draw of the samples explains, and which changed most.
function changesText(before: Profile, after: Profile): (Node | string)[] {
    const shares = new Map<string, [number, number]>();
    [before, after].forEach((profile, side) => methodSums(profile).forEach(({ name, self }) => {
        const known = shares.get(profile.strings[name]) ?? [0, 0];
        known[side] = self / profile.total;
        shares.set(profile.strings[name], known);
    }));
    const some = [...shares].filter(([, [one, two]]) => one > 0 || two > 0);
    // A normal variable is beyond z with a chance of at most exp(-z²/2). With this z the tests of all methods together err in at
    // most one comparison of a hundred. The intervals of changeOf have z = 1.96: fewer samples make them as wide.
    const wider = 2 * Math.log(Math.max(1, some.length) / ERROR_RATE) / Z95 ** 2;
    const changes = some.map(([name, [one, two]]) =>
        ({ name, ...changeOf(one, before.effectiveSamples / wider, two, after.effectiveSamples / wider) }));
    const sure = changes.filter((change) => change.sure).sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
    if (sure.length === 0) {
        return ["No method's share changed by more than sampling explains (" + plural(changes.length, "method") + ")."];
    }
    const words = sure.slice(0, MOST_CHANGES).flatMap(({ name, before: from, after: to, change }, i) =>
        [i > 0 ? ", " : "", nameOf(name), ` ${formatShare(from)} → ${formatShare(to)} (${formatChange(change).replace("%", " pt")})`]);
    return [`The self share of ${sure.length} of ${plural(changes.length, "method")} changed by more than sampling explains `
        + "(differences between hosts not counted): ", ...words, "."];
}
