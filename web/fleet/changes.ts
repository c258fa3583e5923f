// Changes: what surely became dearer or cheaper in a service, against the last version, another time or other hosts; without a service,
// a row for each.
import { plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element, keepPlace } from "../page/dom";
import { ONE_VERSION, canAsk, largestChange, questionAgainst } from "./against";
import { AnswerError, NOT_FOUND, Parameters, Service } from "./api";
import { ChangesAnswer, askChanges, canJudge, judgedSentence, judgedTables, shownOf, sidesText } from "./judged";
import { titleOfType } from "./kinds";
import { Page, View } from "./page";
import { emptyState, link, nameOf, skeleton } from "./parts";
import { HOSTS, LABEL, SIDES, VERSION, matchersOf } from "./sides";
import { State, selector, timesOf } from "./state";
import { tableOf } from "./table";

const MOST_SERVICES = 40;
const CHOICES = SIDES.filter(({ word }) => word !== LABEL);
const FIRST = VERSION;

interface Row {
    service: Service;
    answer: ChangesAnswer | null | undefined; // undefined = not known yet; null = there is none
    why: string;
}

export class Changes implements View {
    readonly word = "changes";
    readonly title = "Changes";
    readonly usesViewer = false;
    readonly usesSamples = true;
    readonly usesKind = true;
    readonly root = element("main", { className: "changes" });
    private readonly heading = element("h1", {});
    private readonly choices = element("nav", { className: "tabs" });
    private readonly host = element("select", {});
    private readonly ofHost = element("label", {}, "Host ", this.host);
    private readonly sentence = element("p", { className: "sentence" });
    private readonly content = element("div", {});
    private answer: ChangesAnswer | null = null;
    private problem = "";
    private rows: Row[] = [];

    constructor() {
        this.choices.setAttribute("aria-label", "Compare with");
        this.root.append(element("div", { className: "row" }, this.heading, element("span", { className: "quiet" }, "compared with"),
            this.choices, this.ofHost), this.sentence, this.content);
        this.content.append(skeleton(5));
    }

    async load(page: Page): Promise<void> {
        const { state, services, questions } = page;
        const against = againstOf(state);
        this.host.onchange = () => page.change({ two: this.host.value });
        this.answer = null;
        this.problem = "";
        this.rows = [];
        if (state.service === "") {
            const main = Object.keys(services[0]?.types ?? {})[0] ?? "";
            const weight = ({ types }: Service) => types[state.type || "cpu:ns"] ?? types[main] ?? 0;
            this.rows = services.slice().sort((a, b) => weight(b) - weight(a)).slice(0, MOST_SERVICES)
                .map((service) => (canAsk(service, against) ? { service, answer: undefined, why: "" }
                    : { service, answer: null, why: ONE_VERSION }));
            page.partial([]);
            this.draw(page);
            void Promise.all(this.rows.filter(({ answer }) => answer === undefined).map((row) => this.ask(page, row)));
            return;
        }
        this.showHosts(page, against);
        const service = services.find(({ name }) => name === state.service);
        if (service && !canAsk(service, against)) {
            this.problem = ONE_VERSION;
            page.partial([]);
            this.draw(page);
            return;
        }
        try {
            this.answer = await askChanges(page, { ...this.parameters(page, against), select: selector(state) }, true);
        } catch (error) {
            if (!(error instanceof AnswerError) || error.status !== NOT_FOUND) {
                throw error;
            }
            this.problem = error.message;
        }
        if (questions.ended) {
            return;
        }
        page.partial([this.answer?.missing_text]);
        this.draw(page);
    }

    draw(page: Page): void {
        const { state } = page;
        const name = state.service === "" ? "Changes" : visibleName(state.service) + ": changes";
        this.heading.textContent = name + (state.type === "" ? "" : " of " + titleOfType(state.type));
        keepPlace(this.choices, () => this.showChoices(page));
        this.ofHost.hidden = state.service === "" || againstOf(state) !== HOSTS;
        keepPlace(this.content, () => (state.service === "" ? this.showAll(page) : this.showOne(page)));
    }

    private showChoices(page: Page): void {
        const present = againstOf(page.state);
        this.choices.replaceChildren(...CHOICES.filter(({ word }) => word !== HOSTS || page.state.service !== "").map(({ word, title }) => {
            const choice = link(title, page.link({ against: word, one: "", two: "", other: "", part: "" }));
            if (word === present) {
                choice.setAttribute("aria-current", "true");
            }
            return choice;
        }));
    }

    private showHosts(page: Page, against: string): void {
        const { state, services } = page;
        const hosts = services.find(({ name }) => name === state.service)?.labels.host ?? [];
        const chosen = state.two || (hosts[0] ?? "");
        this.host.replaceChildren(...[...new Set([...hosts, chosen])].map((host) => new Option(visibleName(host), host)));
        this.host.value = chosen;
        this.host.disabled = against !== HOSTS;
    }

    private parameters(page: Page, against: string): Parameters {
        const { state } = page;
        if (against === HOSTS) {
            const [before, after] = matchersOf(HOSTS, "", "", this.host.value);
            return { ...timesOf(state), ...(state.type === "" ? {} : { type: state.type }), before: before.join(","),
                after: after.join(",") };
        }
        return questionAgainst(state, against);
    }

    private async ask(page: Page, row: Row): Promise<void> {
        const { state } = page;
        try {
            row.answer = await askChanges(page, {
                ...this.parameters(page, againstOf(state)), select: selector({ ...state, service: row.service.name }),
            }, false);
        } catch (error) {
            row.answer = null;
            row.why = error instanceof Error ? error.message : String(error);
        }
        page.partial([...new Set(this.rows.map(({ answer }) => answer?.missing_text))]);
        if (this.rows.includes(row)) {
            this.draw(page);
        }
    }

    // Without a service: what surely changed most in each.
    private showAll(page: Page): void {
        const { rows } = this;
        const left = page.services.length - rows.length;
        if (rows.length === 0) {
            this.sentence.textContent = "";
            this.content.replaceChildren(emptyState("No recordings in this time", "Choose a longer time, or take a label away.", ""));
            return;
        }
        const waiting = rows.filter(({ answer }) => answer === undefined).length;
        const size = ({ answer }: Row) => (answer ? shownOf(answer).regressions.length : -1);
        const changed = rows.filter((row) => size(row) > 0).length;
        this.sentence.textContent = waiting > 0 ? `Comparing ${plural(waiting, "more service")}…`
            : `${changed === 0 ? "No service" : plural(changed, "service")} surely changed, of ${plural(rows.length, "service")}.`
            + (left > 0 ? ` The ${left} with least weight are not compared here.` : "");
        const sorted = waiting > 0 ? rows : rows.slice().sort((a, b) => size(b) - size(a));
        this.content.replaceChildren(tableOf("Services and what changed in them", [
            {
                title: "Service", kind: "name",
                cell: ({ service: { name } }) => [link(nameOf(name), page.link({ service: name }), visibleName(name))],
            },
            { title: "Surely changed", kind: "number", cell: (row) => countOf(row) },
            { title: "Largest change", kind: "method", cell: ({ answer }) => (answer ? largestChange(answer) : []) },
            { title: "Compared", kind: "method", cell: ({ answer, why }) => (answer ? comparedText(answer) : [nameOf(why || " ")]) },
        ], sorted, (row, line) => { line.dataset.service = row.service.name; }));
    }

    private showOne(page: Page): void {
        const { answer, problem } = this;
        if (!answer) {
            this.sentence.textContent = "";
            this.content.replaceChildren(emptyState("There is nothing to compare with", problem
                + ". Choose what to compare with above, or a longer time. A recording has a version if its sender sets that label:",
                "candor daemon --help"));
            return;
        }
        this.sentence.replaceChildren(...judgedSentence(answer));
        const against = againstOf(page.state);
        const sides = { view: "compare", against, label: "", one: "", two: against === HOSTS ? this.host.value : "", other: "", part: "" };
        const compare = link("Both sides as a graph", page.link({ ...sides, graph: "" }));
        const href = (method: string) => page.link({ ...sides, graph: new URLSearchParams({ query: method }).toString() });
        this.content.replaceChildren(sidesText(page, answer), element("p", { className: "aside" }, compare),
            ...judgedTables(answer, href));
    }
}

// What to compare with. Compare has more choices than this view.
function againstOf({ against }: State): string {
    return CHOICES.some(({ word }) => word === against) ? against : FIRST;
}

function countOf({ answer }: Row): (Node | string)[] {
    if (answer === undefined) {
        return [element("span", { className: "waiting" }, "…")];
    }
    return [answer === null || !canJudge(answer) ? "–" : String(shownOf(answer).regressions.length)];
}

function comparedText(answer: ChangesAnswer): (Node | string)[] {
    if (!canJudge(answer)) {
        return [answer.reason ?? "too little data"];
    }
    const { before, after, by } = answer;
    const hosts = plural(Math.max(before.hosts, after.hosts), "host");
    return by === null ? [hosts] : [by + " ", nameOf(before.value ?? ""), " → ", nameOf(after.value ?? ""), ", " + hosts];
}
