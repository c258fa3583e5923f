// Alerts: what fires now, the rules with what they would have done in the last week, the targets, and the editor of rules.
import { formatCount, formatInterval, formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element, keepPlace } from "../page/dom";
import { Answer, AnswerError, BAD_REQUEST, CHANGED, FORBIDDEN, MetricsAnswer } from "./api";
import { MetricChart, MetricData } from "./metricchart";
import { Page, View } from "./page";
import { emptyState, link, nameOf, partialMark, refusal, skeleton, visibleLines } from "./parts";
import { RuleForm } from "./ruleform";
import { Rule, SAMPLE, draftOf, duration, textOf, thresholdOf } from "./rules";
import { changedRule, deleteRule, saveRule } from "./saverule";
import { Silence, Silences } from "./silences";
import { Column, tableOf } from "./table";
import { timeText } from "./times";

interface Figure {
    value: number | null;
    low?: number;
    high?: number;
    method?: string; // that grew
    samples: number;
}

interface Alert extends Figure {
    of?: string;
    state: string;
    since: number;
    started?: number;
    ended?: number;
    quiet: boolean;
    silence: number | null; // the number of one that is about it
    text: string;
    sent: Record<string, { state: string; at: number }>;
    complete: boolean;
    missing_text?: string;
}

interface ListedRule extends Rule {
    version: string;
    last: number;
    error: string | null;
    more_values: boolean;
    alerts: Alert[];
}

interface AlertsAnswer {
    read: number;
    error: string | null;
    rules: ListedRule[];
    targets: { name: string; type: string; address: string; sent: number; failed: number; last: number; error: string | null }[];
}

interface Firing extends Figure {
    of?: string;
    from: number;
    to: number | null;
    quiet: boolean;
}

interface PreviewAnswer extends Answer {
    rule: Rule;
    step: number;
    windows: number;
    windows_without_data: number;
    windows_incomplete: number;
    count: number;
    firings: Firing[];
    points: ({ of?: string; at: number; state: string } & Figure)[];
}

const WEEK = "168h";
const MOST_LINES = 8;
const MOST_ROWS = 500;
const ORDER = ["firing", "pending", "resolved", "inactive"];
const NO_FILE = "candor server --alerts ALERTS.CONF";
const NEW = { replaces: "", version: "" };
const NEEDED = "the scopes read and write";

export class Alerts implements View {
    readonly word = "alerts";
    readonly title = "Alerts";
    readonly usesViewer = false;
    readonly usesSamples = false;
    readonly usesKind = false;
    readonly root = element("main", { className: "alerts" });
    private readonly sentence = element("p", { className: "sentence" });
    private readonly content = element("div", {});
    private readonly past = element("section", { className: "past" });
    private readonly form: RuleForm;
    private readonly chart: MetricChart;
    private readonly silences = new Silences(() => (this.page ? this.load(this.page) : Promise.resolve()));
    private answer: AlertsAnswer | null = null;
    private silenced: Silence[] = [];
    private refused = ""; // why there is no list of alerts
    private isForbidden = false;
    private preview: PreviewAnswer | Error | null = null;
    private tested = ""; // the result of the last test
    private page: Page | null = null;

    constructor() {
        const write = element("button", { type: "button" }, "New rule");
        write.addEventListener("click", () => this.page?.change({ draft: SAMPLE, ...NEW, rule: "" }));
        this.form = new RuleForm((text) => this.page?.change({ draft: text, rule: "" }), () => this.page?.change({ draft: "", ...NEW }),
            (text, name, replaces) => this.save(text, name, replaces));
        this.chart = new MetricChart("The rule's value over time", {
            part: (span) => this.page?.change(span ? { from: span.from, to: span.to } : { from: 0, to: 0 }),
        });
        this.root.append(element("div", { className: "row" }, element("h1", {}, "Alerts"), write), this.sentence, this.form.root,
            this.past, this.content);
        this.content.append(skeleton(4));
        this.form.root.hidden = true;
    }

    async load(page: Page): Promise<void> {
        this.page = page;
        const { state, questions } = page;
        this.answer = null;
        this.refused = "";
        this.preview = null;
        this.tested = "";
        try {
            this.answer = await questions.ask<AlertsAnswer>("/v1/alerts", {});
            this.silenced = (await questions.ask<{ silences: Silence[] }>("/v1/alerts/silences", {})).silences;
        } catch (error) {
            if (!(error instanceof AnswerError) || (error.status !== BAD_REQUEST && error.status !== FORBIDDEN)) {
                throw error;
            }
            this.refused = error.message;
            this.isForbidden = error.status === FORBIDDEN;
        }
        page.partial([]);
        if (!this.isForbidden || this.answer) {
            await this.askPreview(page);
        }
        if (state.draft !== "") {
            const metrics = await questions.ask<MetricsAnswer>("/v1/metrics", { from: "-1h", step: "all" });
            this.form.offer(metrics.metrics.map(({ name }) => name));
        }
        this.draw(page);
    }

    private async askPreview(page: Page): Promise<void> {
        const { state } = page;
        const times = state.from > 0 ? { from: String(state.from), to: String(state.to) } : { from: "-" + WEEK, to: "now" };
        const { draft, rule } = state;
        const which: Record<string, string> | null = draft !== "" ? { draft } : rule !== "" ? { rule } : null;
        if (which) {
            this.preview = await page.questions.ask<PreviewAnswer>("/v1/alerts/preview", { ...times, ...which, points: "true" })
                .catch((error: unknown) => {
                    if (error instanceof AnswerError) {
                        return error;
                    }
                    throw error;
                });
            page.partial([this.preview instanceof Error ? "" : this.preview.missing_text]);
        }
    }

    draw(page: Page): void {
        const { state } = page;
        const { answer } = this;
        this.form.root.hidden = state.draft === "";
        if (state.draft !== "") {
            this.form.open(state.draft);
            this.form.know(answer?.rules.map(({ name }) => name) ?? [], state.replaces);
        }
        this.sentence.replaceChildren(...(answer ? stateSentence(answer) : []));
        keepPlace(this.content, () => this.content.replaceChildren(...(answer ? this.lists(page, answer) : [this.none()])));
        keepPlace(this.past, () => this.past.replaceChildren(...this.history(page)));
        if (this.preview && !(this.preview instanceof Error)) {
            this.chart.show(chartData(this.preview), { zone: state.zone, part: null, hidden: [] });
        }
    }

    private none(): HTMLElement {
        return this.isForbidden ? emptyState("Your token may not read the alerts", "The server says: " + this.refused
            + ". Alerts are about all services, so they need a token with the scope read that is not limited to some.", "")
            : emptyState("This server has no alerts", "The server says: " + this.refused + ". New rule tries a rule before.", NO_FILE);
    }

    private lists(page: Page, answer: AlertsAnswer): HTMLElement[] {
        const { zone } = page.state;
        const rows = answer.rules.flatMap((rule) => rule.alerts.map((alert) => ({ rule, alert })))
            .sort((a, b) => ORDER.indexOf(a.alert.state) - ORDER.indexOf(b.alert.state) || b.alert.since - a.alert.since);
        const present = rows.filter(({ alert: { state } }) => state !== "inactive");
        const calm = rows.length - present.length;
        this.silences.show(page, answer.rules.map(({ name }) => name), this.silenced);
        return [
            element("h2", {}, "Now"),
            ...(present.length === 0 ? [element("p", { className: "aside" }, "No alert is pending, fires, or has just ended.")]
                : [tableOf("Alerts", this.alertColumns(page, zone), present.slice(0, MOST_ROWS)), ...cutOff(present, "alert")]),
            ...(calm > 0 && present.length > 0
                ? [element("p", { className: "aside" }, plural(calm, "more value") + " within bounds.")] : []),
            this.silences.root, element("h2", {}, "Rules"),
            tableOf("Rules", this.ruleColumns(page, zone), answer.rules.slice(0, MOST_ROWS)), ...cutOff(answer.rules, "rule"),
            element("h2", {}, "Targets"), ...(answer.targets.length === 0
                ? [element("p", { className: "aside" }, "Alerts are sent nowhere: the file has no section [send NAME].")]
                : [tableOf("Targets", targetColumns(zone), answer.targets)]),
        ];
    }

    private alertColumns(page: Page, zone: string): Column<{ rule: ListedRule; alert: Alert }>[] {
        return [
            { title: "State", kind: "text", cell: ({ rule, alert }) => this.stateParts(rule.name, alert) },
            { title: "Rule", kind: "name", cell: ({ rule }) => [this.ruleLink(page, rule.name)] },
            { title: "Of", kind: "text", cell: ({ alert }) => [nameOf(alert.of ?? "–")] },
            { title: "Value", kind: "number", cell: ({ rule, alert }) => figureText(rule, alert) },
            { title: "Bound", kind: "number", cell: ({ rule }) => boundText(rule) },
            { title: "Since", kind: "text", cell: ({ alert }) => timeText(alert.started ?? alert.since, zone) },
            { title: "Sent to", kind: "method", cell: ({ alert }) => [nameOf(Object.entries(alert.sent)
                .map(([to, { state }]) => to + ": " + state).join(", ") || "–")] },
            {
                title: "What", kind: "method",
                cell: ({ alert: { text, complete, missing_text: missing } }) =>
                    [visibleName(text), ...(complete ? [] : [" ", partialMark(missing)])],
            },
        ];
    }

    private stateParts(rule: string, { state, of, quiet, silence }: Alert): (Node | string)[] {
        const why = silence !== null ? `not sent: silence ${silence}` : quiet ? "not sent: quiet time" : "";
        const parts = [stateBadge(state), ...(why === "" ? [] : [" ", element("span", { className: "quiet" }, why)])];
        if (silence !== null || state === "resolved") {
            return parts;
        }
        const button = element("button", { type: "button", ariaLabel: `Silence ${visibleName(rule)} ${visibleName(of ?? "")}` }, "Silence");
        button.addEventListener("click", () => this.silences.offer(rule, of));
        return [...parts, " ", element("span", { className: "actions" }, button)];
    }

    private ruleLink(page: Page, rule: string): HTMLElement {
        const made = link(nameOf(rule), page.link({ rule, draft: "" }), "What it did in the last week");
        if (page.state.rule === rule) {
            made.setAttribute("aria-current", "true");
        }
        return made;
    }

    private ruleColumns(page: Page, zone: string): Column<ListedRule>[] {
        const count = ({ alerts }: ListedRule, state: string) => alerts.filter((alert) => alert.state === state).length;
        return [
            { title: "Rule", kind: "name", cell: ({ name }) => [this.ruleLink(page, name)] },
            { title: "Value", kind: "method", cell: (rule) => [nameOf(whatText(rule))] },
            { title: "Bound", kind: "number", cell: boundText },
            {
                title: "Window", kind: "number",
                cell: ({ window, for: hold }) => duration(window) + (hold > 0 ? ", for " + duration(hold) : ""),
            },
            { title: "Quiet (UTC)", kind: "text", cell: ({ quiet }) => quiet.join("; ") || "–" },
            { title: "Fires", kind: "number", cell: (rule) => `${count(rule, "firing")} of ${rule.alerts.length}`
                + (rule.more_values ? "+" : "") },
            {
                title: "Evaluated", kind: "text", cell: ({ last, error }) => (error !== null
                    ? [element("span", { className: "wrong" }, visibleName(error))] : last > 0 ? timeText(last, zone) : "not yet"),
            },
        ];
    }

    // ---- a rule's past ----

    private history(page: Page): HTMLElement[] {
        const { preview } = this;
        const { state } = page;
        if (preview === null) {
            return [];
        }
        const title = element("h2", {}, state.draft !== "" ? "What this rule would have done" : "The past of ", ...(state.draft !== "" ? []
            : [nameOf(state.rule)]));
        if (preview instanceof Error) {
            return [title, element("p", { className: "wrong" }, visibleName(preview.message))];
        }
        const { rule } = preview;
        const lines = new Set(preview.points.map(({ of }) => of)).size;
        const shown = preview.points.length === 0 ? [] : [this.chart.root, ...(lines <= MOST_LINES ? []
            : [element("p", { className: "aside" }, `The chart has the first ${MOST_LINES} of ${plural(lines, "value")}.`)])];
        const firings = preview.firings.slice().sort((a, b) => b.from - a.from);
        const table = firings.length === 0 ? [] : [tableOf("Times at which it fired", [
            { title: "From", kind: "text", cell: ({ from }: Firing) => timeText(from, state.zone) },
            { title: "To", kind: "text", cell: ({ to }) => (to === null ? "still fires" : timeText(to, state.zone)) },
            { title: "Of", kind: "text", cell: ({ of }) => [nameOf(of ?? "–")] },
            { title: "Most extreme", kind: "number", cell: (firing) => figureText(rule, firing) },
            { title: "Sent", kind: "text", cell: ({ quiet }) => (quiet ? "no: quiet time" : "yes") },
        ], firings)];
        return [title, element("p", { className: "aside" }, previewText(preview, state.from > 0)), ...shown, ...table,
            ...(state.draft !== "" ? [] : this.ruleParts(page, rule))];
    }

    // The rule as text, and what can be done with it.
    private ruleParts(page: Page, rule: Rule): HTMLElement[] {
        const test = element("button", { type: "button", title: "Sends an alert with the label test=true to its targets" }, "Send a test");
        const status = element("output", { className: "tested" }, this.tested);
        test.addEventListener("click", () => void this.test(page, rule.name, test, status));
        const edit = element("button", { type: "button" }, "Edit");
        const version = this.answer?.rules.find(({ name }) => name === rule.name)?.version ?? "";
        edit.addEventListener("click", () => page.change({ draft: textOf(draftOf(rule)), replaces: rule.name, version, rule: "" }));
        const close = link("All rules", page.link({ rule: "" }));
        const remove = element("button", { type: "button" }, "Delete");
        remove.addEventListener("click", () => {
            if (remove.dataset.asked === undefined) { // a second click does it
                remove.dataset.asked = "";
                remove.textContent = "Delete: are you sure?";
                return;
            }
            void this.remove(page, rule.name, version, remove, status);
        });
        return [element("p", { className: "row" }, test, edit, remove, close, status),
            element("pre", { tabIndex: 0, className: "rule-text" }, visibleLines(textOf(draftOf(rule))))];
    }

    // Returns what to tell: why it is not saved.
    private async save(text: string, name: string, replaces: string | null): Promise<string> {
        const { page } = this;
        if (!page) {
            return "";
        }
        const { version } = page.state.replaces === replaces ? page.state
            : this.answer?.rules.find((rule) => rule.name === replaces) ?? NEW;
        try {
            await saveRule(page, text, replaces, version);
        } catch (error) {
            return error instanceof AnswerError && error.status === CHANGED ? await this.tellChange(page, text, replaces ?? "", version)
                : refusal(error, NEEDED);
        }
        page.change({ draft: "", ...NEW, rule: name });
        return "";
    }

    // Somebody else has changed the rule meanwhile. Theirs is shown beside the text, which then replaces it if it is saved again.
    private async tellChange(page: Page, text: string, name: string, version: string): Promise<string> {
        const theirs = await changedRule(page, name, version) as ListedRule | undefined;
        this.form.showOther(theirs ? textOf(draftOf(theirs)) : "");
        page.change({ draft: text, ...(theirs ? { replaces: name, version: theirs.version } : NEW) }, false);
        return theirs ? "Not saved: somebody changed this rule after you opened it. Theirs is below; Save again replaces it."
            : "Not saved: somebody deleted this rule after you opened it. Save again makes it anew.";
    }

    private async remove(page: Page, name: string, version: string, button: HTMLButtonElement,
        status: HTMLOutputElement): Promise<void> {
        button.disabled = true;
        try {
            await deleteRule(page, name, version);
        } catch (error) {
            status.textContent = refusal(error, NEEDED);
            button.disabled = false;
            return;
        }
        page.change({ rule: "" });
    }

    private async test(page: Page, name: string, button: HTMLButtonElement, status: HTMLOutputElement): Promise<void> {
        button.disabled = true;
        status.textContent = "Sending…";
        try {
            const { targets } = await page.questions.post<{ targets: { to: string; sent: boolean; error: string | null }[] }>(
                "/v1/alerts/" + encodeURIComponent(name) + "/test");
            this.tested = targets.length === 0 ? "The rule has no targets." : targets.map(({ to, sent, error }) =>
                to + ": " + (sent ? "sent" : "failed, " + (error ?? ""))).join("; ");
        } catch (error) {
            this.tested = error instanceof AnswerError && error.status === FORBIDDEN
                ? "Not permitted: a test needs a token with the scope write, and yours has only read."
                : error instanceof Error ? error.message : String(error);
        }
        status.textContent = visibleName(this.tested);
        button.disabled = false;
    }
}

function cutOff(rows: unknown[], word: string): HTMLElement[] {
    return rows.length <= MOST_ROWS ? []
        : [element("p", { className: "aside" }, `The first ${MOST_ROWS} of ${plural(rows.length, word)}.`)];
}

function stateSentence({ rules, error, read }: AlertsAnswer): (Node | string)[] {
    const count = (state: string) => rules.reduce((sum, { alerts }) => sum + alerts.filter((one) => one.state === state).length, 0);
    const [firing, pending] = [count("firing"), count("pending")];
    const now = `${firing === 0 ? "No alert fires" : plural(firing, "alert") + (firing === 1 ? " fires" : " fire")}`
        + (pending > 0 ? `, ${pending} ${pending === 1 ? "is" : "are"} pending` : "") + `; ${plural(rules.length, "rule")}.`;
    return [now, ...(error === null ? [] : [" ", element("span", { className: "wrong" },
        `The file has an error, so its content of ${timeText(read, "utc")} UTC stays in use: ${visibleName(error)}`)])];
}

function stateBadge(state: string): HTMLElement {
    return element("span", { className: "verdict " + (state === "firing" ? "dearer" : state === "pending" ? "pending" : "unsure") }, state);
}

const isShare = (rule: Rule) => (rule.above ?? rule.below ?? "").trim().endsWith("%");

function number(rule: Rule, value: number): string {
    return isShare(rule) ? formatShare(value) : formatValue(value, rule.baseline === null ? "" : "×").trim();
}

function figureText(rule: Rule, { value, low, high, method }: Figure): (Node | string)[] {
    if (value === null) {
        return ["no data"];
    }
    const range = low === undefined || high === undefined || low === high ? ""
        : isShare(rule) ? ` (${formatInterval([low, high])})` : ` (${number(rule, low)} to ${number(rule, high)})`;
    return [number(rule, value), element("span", { className: "quiet" }, range), method === undefined ? "" : " of " + visibleName(method)];
}

function boundText({ above, below, baseline, value }: Rule): string {
    const [sign, bound] = below === undefined ? [">", above ?? ""] : ["<", below];
    const before: Record<string, string> = { previous: "the window before", day: "yesterday", week: "last week" };
    const against = baseline === null ? "" : before[baseline] ?? `the mean of ${baseline}`;
    return sign + " " + bound + (against === "" ? "" : value === "change" ? ` since ${against}` : ` × ${against}`);
}

function whatText({ value, method, select, each }: Rule): string {
    return value + (method === null ? "" : " of " + method) + (select === "" || select === "{}" ? "" : " where " + select)
        + (each === null ? "" : ", for each " + each);
}

function previewText(answer: PreviewAnswer, chosen: boolean): string {
    const { count, windows, windows_without_data: without, windows_incomplete: incomplete, step, complete, missing_text: missing } = answer;
    const times = count === 1 ? "once" : formatCount(count) + " times";
    return `In ${chosen ? "the chosen time" : "the last week"} it would have fired ${times}, `
        + `if evaluated every ${duration(step)}: ${plural(windows, "window")}`
        + (without > 0 ? `, ${formatCount(without)} without data` : "")
        + (incomplete > 0 ? `, ${formatCount(incomplete)} incomplete` : "") + "."
        + (complete || missing !== undefined ? "" : " Only the first 20 values are evaluated.");
}

function chartData({ rule, points, step }: PreviewAnswer): MetricData {
    const lines = new Map<string, [number, number][]>();
    points.forEach(({ of = "", at, value }) => {
        const line = lines.get(of) ?? [];
        lines.set(of, line);
        if (value !== null) {
            line.push([at - step, value]);
        }
    });
    const times = points.map(({ at }) => at);
    const from = times.reduce((least, at) => Math.min(least, at - step), Infinity);
    const to = times.reduce((most, at) => Math.max(most, at), 0);
    return {
        type: "", unit: isShare(rule) ? "share" : rule.value === "cores" ? "cores" : "", longest: true, step,
        span: { from: Number.isFinite(from) ? from : 0, to: to || 1 }, threshold: thresholdOf(rule.above ?? rule.below ?? ""),
        series: [...lines].slice(0, MOST_LINES).map(([value, line]) => ({ value, points: line })),
    };
}

function targetColumns(zone: string): Column<AlertsAnswer["targets"][number]>[] {
    return [
        { title: "Target", kind: "name", cell: ({ name }) => [nameOf(name)] },
        { title: "Type", kind: "text", cell: ({ type }) => type },
        { title: "Address", kind: "method", cell: ({ address }) => [nameOf(address)] },
        { title: "Sent", kind: "number", cell: ({ sent }) => formatCount(sent) },
        { title: "Failed", kind: "number", cell: ({ failed }) => formatCount(failed) },
        { title: "Last", kind: "text", cell: ({ last }) => (last > 0 ? timeText(last, zone) : "never") },
        {
            title: "Problem", kind: "method",
            cell: ({ error }) => (error === null ? "–" : [element("span", { className: "wrong" }, visibleName(error))]),
        },
    ];
}
