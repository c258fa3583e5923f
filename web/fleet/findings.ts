// Findings: what the rules found in recordings of the time, the worst first.
import { formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element, keepPlace } from "../page/dom";
import { Finding, FindingsAnswer } from "./api";
import { Detail, askFinding, findingParts, noFinding } from "./onefinding";
import { Page, View } from "./page";
import { emptyState, link, nameOf, refusal, skeleton } from "./parts";
import { recordingSelector, timesOf } from "./state";
import { timeText } from "./times";

const LONGEST_NOTE = 300;
const HEADS = ["Finding", "Service", "Place", "Lost", "Hosts", "Versions", "First", "Last", "State"];
const CLASSES = ["column-name", "column-text", "column-method", "column-lost", "column-text", "column-text"];

export class Findings implements View {
    readonly word = "findings";
    readonly title = "Findings";
    readonly usesViewer = false;
    readonly usesSamples = false;
    readonly usesKind = false;
    readonly root = element("main", { className: "findings" });
    private readonly sentence = element("p", { className: "sentence" });
    private readonly content = element("div", { className: "table" });
    private readonly problem = element("p", { className: "wrong" });
    private readonly heading = element("h1", {}, "Findings");
    private answer: FindingsAnswer | null = null;
    private detail: Detail | null = null; // of the finding that the address names

    constructor() {
        this.problem.setAttribute("role", "alert");
        this.root.append(this.heading, this.sentence, this.problem, this.content);
        this.content.append(skeleton(5));
    }

    async load(page: Page): Promise<void> {
        const { state, questions } = page;
        this.detail = state.finding === "" ? null : await askFinding(page, state.finding);
        if (state.finding !== "") {
            page.partial([]);
            this.draw(page);
            return;
        }
        this.answer = await questions.ask<FindingsAnswer>("/v1/findings",
            { ...timesOf(state), select: recordingSelector({ ...state, service: "" }), state: "all" });
        page.partial([this.answer.complete ? "" : "only the worst findings are listed"]);
        this.draw(page);
    }

    draw(page: Page): void {
        keepPlace(this.root, () => {
            if (page.state.finding === "") {
                this.heading.textContent = "Findings";
                this.drawList(page);
            } else {
                this.drawOne(page, this.detail);
            }
        });
    }

    private drawOne(page: Page, detail: Detail | null): void {
        this.heading.replaceChildren(...(detail ? [nameOf(detail.finding.title)] : ["Finding " + page.state.finding]));
        this.sentence.replaceChildren(link("All findings", page.link({ finding: "" })), " ",
            ...(detail ? this.stateParts(page, detail.finding) : []));
        this.content.replaceChildren(...(detail ? findingParts(page, detail) : [noFinding()]));
    }

    private drawList(page: Page): void {
        const answer: FindingsAnswer = this.answer ?? { findings: [], complete: true };
        const { findings } = answer;
        const later = notJudged(answer);
        const services = new Set(findings.map(({ service }) => service)).size;
        this.sentence.textContent = findings.length === 0 ? later
            : plural(findings.length, "finding") + " in " + plural(services, "service") + "." + later;
        if (findings.length === 0) {
            this.content.replaceChildren(answer.analyze_cpu === 0
                ? emptyState("This server does not look for problems",
                    "It runs with --analyze-cpu 0. This command judges one recording:", "candor analyze app.jfr")
                : emptyState("No findings in this time",
                    "The rules found nothing in the recordings that were judged. This command says what they judge in one recording:",
                    "candor analyze app.jfr"));
            return;
        }
        this.content.replaceChildren(element("table", { className: "fleet" },
            element("caption", { className: "spoken" }, "Findings, the worst first"),
            element("thead", {}, element("tr", {}, ...HEADS.map((head) => element("th", { scope: "col" }, head)))),
            element("tbody", {}, ...findings.map((finding) => this.line(page, finding)))));
    }

    private stateParts(page: Page, finding: Finding): (Node | string)[] {
        const { id, state, note } = finding;
        const buttons = (NEXT[state] ?? []).map(([next, word]) => {
            const button = element("button", { type: "button", ariaLabel: `${word}: ${visibleName(finding.title)}` }, word);
            button.addEventListener("click", () => void this.change(page, id, next));
            return button;
        });
        return [element("span", { className: "state" }, state), " ", element("span", { className: "actions" }, ...buttons),
            ...(note === "" ? [] : [element("span", { className: "quiet" }, visibleName(note).slice(0, LONGEST_NOTE))])];
    }

    private async change(page: Page, id: number, state: string): Promise<void> {
        this.problem.textContent = "";
        try {
            await page.questions.post("/v1/findings/" + id, { state });
            await this.load(page);
        } catch (error) {
            this.problem.textContent = refusal(error, "the scopes read and write");
        }
    }

    private line(page: Page, finding: Finding): HTMLTableRowElement {
        const { id, title, severity, service, place, worst, hosts, versions, first, last } = finding;
        const { zone } = page.state;
        const href = page.link({ view: "service", service, part: "", by: "", hidden: [] });
        const contents: (Node | string)[][] = [
            [link(nameOf(title), page.link({ finding: String(id) }), "The evidence, and what to do"), " ",
                element("span", { className: severity === "warning" ? "partial" : "quiet" }, severity)],
            [link(nameOf(service), href)], [place ? nameOf(place) : "the whole JVM"],
            [formatValue(worst.lost_ns, "ns"), element("span", { className: "quiet" }, " in " + formatValue(worst.duration_ns, "ns"))],
            [nameOf(hosts.join(", ") || "–")], [nameOf(versions.join(", ") || "–")],
            [timeText(first, zone)], [timeText(last, zone)], this.stateParts(page, finding),
        ];
        return element("tr", {}, ...contents.map((content, i) => {
            const cell = element("td", { className: CLASSES[i] ?? "" }, ...content);
            cell.dataset.label = HEADS[i];
            return cell;
        }));
    }
}

// What a person can do with a finding in each state: the next state, and its word on the button.
const NEXT: Record<string, [string, string][]> = {
    open: [["acknowledged", "Acknowledge"], ["silenced", "Silence"]],
    acknowledged: [["open", "Reopen"], ["silenced", "Silence"]],
    silenced: [["open", "Show again"]],
    resolved: [],
};

// Says which recordings the rules have not seen, and which findings are not in the list.
function notJudged({ waiting = 0, skipped, unlisted = 0 }: FindingsAnswer): string {
    const late = skipped?.late ?? 0;
    return (waiting > 0 ? ` ${plural(waiting, "recording")} ${waiting === 1 ? "has" : "have"} not been checked yet.` : "")
        + (late > 0 ? ` The server has skipped ${plural(late, "recording")} in all, for lack of time.` : "")
        + (unlisted > 0 ? ` The server had no room for ${plural(unlisted, "finding")}: a service has too many.` : "");
}
