// Findings: what the rules found in recordings of the time, the worst first.
import { formatValue, plural } from "../model/figures";
import { element } from "../page/dom";
import { Finding, FindingsAnswer } from "./api";
import { Page, View } from "./page";
import { emptyState, link, nameOf } from "./parts";
import { recordingSelector, timesOf } from "./state";
import { timeText } from "./times";

const HEADS = ["Finding", "Service", "Place", "Lost", "Hosts", "Versions", "First", "Last", "State"];

export class Findings implements View {
    readonly word = "findings";
    readonly title = "Findings";
    readonly usesViewer = false;
    readonly usesSamples = false;
    readonly root = element("main", { className: "findings" });
    private readonly sentence = element("p", { className: "sentence" });
    private readonly content = element("div", { className: "table" });
    private answer: FindingsAnswer | null = null;

    constructor() {
        this.root.append(element("h1", {}, "Findings"), this.sentence, this.content);
    }

    async load(page: Page): Promise<void> {
        const { state, questions } = page;
        this.answer = await questions.ask<FindingsAnswer>("/v1/findings",
            { ...timesOf(state), select: recordingSelector({ ...state, service: "" }), state: "all" });
        page.partial([this.answer.complete ? "" : "only the worst findings are listed"]);
        this.draw(page);
    }

    draw(page: Page): void {
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

    private line(page: Page, finding: Finding): HTMLTableRowElement {
        const { title, severity, service, place, worst, hosts, versions, first, last, state } = finding;
        const { zone } = page.state;
        const href = page.link({ view: "service", service, part: "", by: "", hidden: [] });
        const contents: (Node | string)[][] = [
            [nameOf(title), element("span", { className: severity === "warning" ? "partial" : "quiet" }, severity)],
            [link(nameOf(service), href)], [nameOf(place)],
            [formatValue(worst.lost_ns, "ns"), element("span", { className: "quiet" }, " in " + formatValue(worst.duration_ns, "ns"))],
            [nameOf(hosts.join(", ") || "–")], [nameOf(versions.join(", ") || "–")],
            [timeText(first, zone)], [timeText(last, zone)], [state],
        ];
        return element("tr", {}, ...contents.map((content, i) => {
            const cell = element("td", { className: i === 0 ? "column-name" : i === 2 ? "column-method" : "" }, ...content);
            cell.dataset.label = HEADS[i];
            return cell;
        }));
    }
}

// Says which recordings the rules have not seen, and which findings are not in the list.
function notJudged({ waiting = 0, skipped, unlisted = 0 }: FindingsAnswer): string {
    const late = skipped?.late ?? 0;
    return (waiting > 0 ? ` ${plural(waiting, "recording")} ${waiting === 1 ? "has" : "have"} not been checked yet.` : "")
        + (late > 0 ? ` The server has skipped ${plural(late, "recording")} in all, for lack of time.` : "")
        + (unlisted > 0 ? ` The server had no room for ${plural(unlisted, "finding")}: a service has too many.` : "");
}
