// Compares two times, versions, hosts or other values of a label: what surely changed, both sides over time, and the flame graph of the
// difference.
import { compareProfiles } from "../model/compare";
import { visibleName } from "../model/names";
import { Profile, profileOf } from "../model/profile";
import { element, keepPlace } from "../page/dom";
import { AnswerError, GraphAnswer, Parameters, SeriesAnswer } from "./api";
import { Chart, Data } from "./chart";
import { ChangesAnswer, askChanges, canJudge, judgedSentence, judgedTables, markJudged, sidesText } from "./judged";
import { CPU_TIME, orderTypes, titleOfType } from "./kinds";
import { Page, View } from "./page";
import { choosePart, emptyState, partBar, versions } from "./parts";
import { sampledSentence } from "./sampled";
import { HOSTS, LABEL, RECORDINGS, SIDES, VERSION, backOf, isTime, matchersOf } from "./sides";
import { Span, State, quote, secondsIn, selector, spanOf, timesOf } from "./state";
import { lengthText, stepFor } from "./times";

const FIRST = "before";

interface Asked {
    matchers: string[];
    times: { from: string; to: string };
}

interface Plan {
    before: Asked;
    after: Asked;
    names: string[]; // of the two sides, for captions
    answer: ChangesAnswer | null; // if it was needed to find the sides
}

interface Side {
    window: Span; // the contents of its chart
    span: Span; // what is compared
    series: SeriesAnswer;
    graph: GraphAnswer;
}

export class Compare implements View {
    readonly word = "compare";
    readonly title = "Compare";
    readonly usesViewer = true;
    readonly usesSamples = true;
    readonly usesKind = true;
    readonly root = element("div", { className: "compare" });
    private readonly heading = element("h1", {});
    private readonly against = element("select", {});
    private readonly label = element("select", {});
    private readonly one = element("select", {});
    private readonly two = element("select", {});
    private readonly ofLabel = element("span", { className: "of-label" }, element("label", {}, "Label ", this.label),
        element("label", {}, " before ", this.one), element("label", {}, " after ", this.two));
    private readonly sentence = element("p", { className: "sentence" });
    private readonly judged = element("div", { className: "judged" });
    private readonly charts: [Chart, Chart];
    private readonly captions = [element("h2", {}), element("h2", {})] as const;
    private readonly bars = [element("div", {}), element("div", {})] as const;
    private readonly nothing = element("div", {});
    private readonly pictures: HTMLElement;
    private data: [Data, Data] | null = null;
    private answer: ChangesAnswer | Error | null = null;
    private profiles: [Profile, Profile] | null = null;
    private page: Page | null = null;

    constructor() {
        const chart = (name: string, key: "part" | "other") =>
            new Chart(name, { part: (span) => this.page && choosePart(this.page, key)(span) });
        this.charts = [chart("Before, over time", "other"), chart("After, over time", "part")];
        this.against.append(...SIDES.map(({ word, title }) => new Option(title, word)), new Option("another recording", RECORDINGS));
        const choose = (select: HTMLSelectElement, what: (value: string) => Partial<State>) =>
            select.addEventListener("change", () => this.page?.change(what(select.value)));
        choose(this.against, (against) => ({ against, other: "", one: "", two: "" }));
        choose(this.label, (label) => ({ label, one: "", two: "" }));
        choose(this.one, (one) => ({ one }));
        choose(this.two, (two) => ({ two }));
        this.pictures = element("div", { className: "two" }, ...[0, 1].map((i) =>
            element("section", {}, this.captions[i], this.charts[i].root, this.bars[i])));
        this.root.append(element("div", { className: "row" }, this.heading,
            element("label", {}, "Compare with ", this.against), this.ofLabel),
            this.sentence, this.judged, this.pictures, this.nothing);
    }

    async load(page: Page): Promise<void> {
        this.page = page;
        const { state, services, questions } = page;
        const some = services.filter(({ name }) => state.service === "" || name === state.service);
        const types = orderTypes(some.flatMap((one) => Object.keys(one.types)));
        const type = state.type || (types[0] ?? CPU_TIME);
        const plan = await this.plan(page, type);
        const after = await this.ask(page, type, plan.after, "part");
        const window = { from: after.series.from, to: after.series.to };
        const against = state.against || FIRST;
        const back = backOf(against, window.to - window.from);
        const other = { from: String(window.from - back), to: String(window.to - back) };
        const before = await this.ask(page, type, isTime(against) ? { ...plan.before, times: other } : plan.before, "other",
            isTime(against) ? shifted(spanOf(state.part), -back) : null);
        const profiles = await questions.keep(Promise.all([profileOf(before.graph.page), profileOf(after.graph.page)]));
        const answer = profiles.every(({ total }) => total > 0) ? await this.judge(page, type, plan, before, after) : null;
        page.isOf(window);
        page.partial([...[before, after].flatMap(({ series, graph }) => [series.missing_text, graph.server.missing_text]),
            answer instanceof Error ? "" : answer?.missing_text]);
        const data = (side: Side): Data => ({ type, step: side.series.step, span: side.window, series: side.series.series });
        this.data = [data(before), data(after)];
        this.heading.textContent = (state.service === "" ? "All services" : visibleName(state.service)) + ": " + titleOfType(type);
        ["Before", "After"].forEach((word, i) => {
            this.captions[i].textContent = word + plan.names[i] + ", " + lengthText([before, after][i].span);
        });
        this.answer = answer;
        this.profiles = [profiles[0], profiles[1]];
        this.draw(page);
        this.showGraph(page, profiles[0], profiles[1]);
    }

    // Finds out the two sides. For versions, the server says which are the newest, and when both ran.
    private async plan(page: Page, type: string): Promise<Plan> {
        const { state } = page;
        const against = state.against || FIRST;
        const chosen = this.showChoices(page);
        const times = timesOf(state);
        if (against === VERSION) {
            const answer = await askChanges(page, { ...times, select: selector(state), type, by: VERSION }, true);
            const side = ({ value, from, to }: ChangesAnswer["before"]) =>
                ({ matchers: [VERSION + "=" + quote(value ?? "")], times: { from: String(from), to: String(to) } });
            const names = [answer.before, answer.after].map(({ value }) => ": version " + visibleName(value ?? ""));
            return { before: side(answer.before), after: side(answer.after), names, answer };
        }
        if (against === RECORDINGS) {
            const [other, part] = [state.other, state.part].map((text) => spanOf(text));
            const side = (matcher: string, span: Span | null) => ({
                matchers: [matcher].filter((text) => text !== ""),
                times: span ? { from: String(span.from), to: String(span.to) } : times,
            });
            return { before: side(state.one, other), after: side(state.two, part), names: [": the first", ": the second"], answer: null };
        }
        const [one, two] = matchersOf(against, chosen.label, chosen.one, chosen.two);
        const names = against === LABEL ? [chosen.one, chosen.two].map((value) => ": " + chosen.label + " " + visibleName(value))
            : against === HOSTS ? [": other hosts", ": host " + visibleName(chosen.two)] : ["", ""];
        return { before: { matchers: one, times }, after: { matchers: two, times }, names, answer: null };
    }

    // Asks the server what surely changed. Returns null if it has no question for these sides, or why it has no answer.
    private async judge(page: Page, type: string, plan: Plan, before: Side, after: Side): Promise<ChangesAnswer | Error | null> {
        const { state } = page;
        const narrowed = state.part !== "" || state.other !== "";
        const range = ({ span }: Side) => span.from + ".." + span.to;
        const matchers = [plan.before.matchers, plan.after.matchers];
        const parameters: Parameters = { ...timesOf(state), select: selector(state), type };
        if (isTime(state.against || FIRST)) {
            Object.assign(parameters, { before: range(before), after: range(after) });
        } else if (narrowed || matchers.some((list) => list.length === 0)) {
            return null;
        } else if (plan.answer) {
            return plan.answer;
        } else {
            Object.assign(parameters, { before: matchers[0].join(","), after: matchers[1].join(",") });
        }
        return askChanges(page, parameters, true).catch((error: unknown) => {
            if (error instanceof AnswerError) {
                return error;
            }
            throw error;
        });
    }

    draw(page: Page): void {
        const { state } = page;
        if (this.data) {
            const parts = [spanOf(state.other), spanOf(state.part)];
            this.charts.forEach((chart, i) => chart.show((this.data as [Data, Data])[i], { zone: state.zone, part: parts[i], hidden: [] }));
        }
        this.bars[0].replaceChildren(partBar(page, "other", "Compared: "));
        this.bars[1].replaceChildren(partBar(page, "part", "Compared: "));
        this.showJudged(page);
    }

    // Says what changed: as the server judges, or otherwise by the draw of the samples alone.
    private showJudged(page: Page): void {
        const { answer, profiles } = this;
        if (!profiles || profiles.some(({ total }) => total === 0)) {
            this.sentence.replaceChildren();
            this.judged.replaceChildren();
        } else if (answer && !(answer instanceof Error) && canJudge(answer)) {
            this.sentence.replaceChildren(...judgedSentence(answer));
            const href = (method: string) => page.link({ graph: new URLSearchParams({ query: method }).toString() });
            keepPlace(this.judged, () => this.judged.replaceChildren(...judgedTables(answer, href), sidesText(page, answer)));
        } else {
            const why = answer instanceof Error ? answer.message : answer?.reason;
            this.sentence.replaceChildren(...sampledSentence(...profiles));
            this.judged.replaceChildren(...(why
                ? [element("p", { className: "aside" }, "Hosts could not be compared: " + why + ".")] : []));
        }
    }

    private async ask(page: Page, type: string, { times, matchers }: Asked, key: "part" | "other",
        otherwise: Span | null = null): Promise<Side> {
        const select = selector(page.state, matchers);
        const seconds = Number(times.from) > 0 ? Number(times.to) - Number(times.from) : secondsIn(page.state);
        const series = await page.questions.ask<SeriesAnswer>("/v1/series", { ...times, select, type, step: stepFor(seconds) });
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
            values.set(name, [...new Set([...(values.get(name) ?? []), ...list])].sort(versions.compare))));
        const several = [...values].filter(([, list]) => list.length > 1);
        const ofHosts = (state.against || FIRST) === HOSTS;
        const label = ofHosts ? "host" : state.label || (several[0] ?? [...values][0] ?? [""])[0];
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
        const against = state.against || FIRST;
        this.against.value = SIDES.some(({ word }) => word === against) || against === RECORDINGS ? against : FIRST;
        this.ofLabel.hidden = against !== LABEL && against !== HOSTS;
        this.label.disabled = this.one.disabled = against === HOSTS;
        return { label, one, two };
    }

    private showGraph(page: Page, before: Profile, after: Profile): void {
        const lacks = before.total === 0 ? "before" : after.total === 0 ? "after" : "";
        this.nothing.replaceChildren(...(lacks === "" ? [] : [emptyState("Nothing to compare",
            "There are no samples of this kind on the side " + lacks + ". Compare with another time, or choose a longer one.", "")]));
        if (lacks === "") {
            const both = compareProfiles(before, after);
            if (this.answer && !(this.answer instanceof Error) && canJudge(this.answer)) {
                markJudged(both, this.answer);
            }
            page.viewer.show(both);
        } else {
            page.viewer.hide();
        }
    }
}

function shifted(span: Span | null, by: number): Span | null {
    return span && { from: span.from + by, to: span.to + by };
}
