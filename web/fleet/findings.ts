// Findings: what the rules found in recordings of the time, the worst first.
import { formatValue, plural } from "../model/figures";
import { element } from "../page/dom";
import { Finding, FindingsAnswer } from "./api";
import { Page, View } from "./page";
import { emptyState, link, nameOf } from "./parts";
import { selector, timesOf } from "./state";
import { timeText } from "./times";

const HEADS = ["Finding", "Service", "Place", "Lost", "Hosts", "Versions", "First", "Last", "State"];

export class Findings implements View {
    readonly word = "findings";
    readonly title = "Findings";
    readonly usesViewer = false;
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
            { ...timesOf(state), select: selector({ ...state, service: "" }), state: "all" });
        page.partial([this.answer.complete ? "" : "only the worst findings are listed"]);
        this.draw(page);
    }

    draw(page: Page): void {
        const { findings, waiting } = this.answer ?? { findings: [], waiting: 0 };
        const later = waiting ? ` ${plural(waiting, "recording")} not judged yet.` : "";
        const services = new Set(findings.map(({ service }) => service)).size;
        this.sentence.textContent = findings.length === 0 ? later
            : plural(findings.length, "finding") + " in " + plural(services, "service") + "." + later;
        if (findings.length === 0) {
            this.content.replaceChildren(emptyState("No findings in this time",
                "The rules found nothing wrong in recordings of this time. This command says what they judged in one recording:",
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
