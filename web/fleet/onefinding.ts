// One finding: what is wrong, what to do, and the evidence: the recording in which it was worst, the time in it, and the place in a flame
// graph.
import { formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { Finding as Report, Json, readFindings } from "../model/parts";
import { exactQuery } from "../model/search";
import { element } from "../page/dom";
import { AnswerError, Finding, NOT_FOUND, Recording, RecordingsAnswer } from "./api";
import { labelsText, matchersOfLabels } from "./jvms";
import { typeOfKind } from "./kinds";
import { Page } from "./page";
import { emptyState, link, nameOf } from "./parts";
import { Span, State, quote } from "./state";
import { lengthText, spanText } from "./times";

const LONGEST = 2000; // characters of a text

export interface Detail {
    finding: Finding;
    report: Report | null; // null = the server cannot read it
    recording: Recording | null; // the evidence; null = the server no longer knows it
}

type DetailAnswer = Finding & { finding: Json; evidence: { recording: number; exists: boolean } };

// Returns null if there is no finding with this number.
export async function askFinding(page: Page, id: string): Promise<Detail | null> {
    let finding: DetailAnswer;
    try {
        finding = await page.questions.ask<DetailAnswer>("/v1/findings/" + id, {});
    } catch (error) {
        if (error instanceof AnswerError && error.status === NOT_FOUND) {
            return null;
        }
        throw error;
    }
    const [report = null] = readFindings({ findings: [finding.finding] });
    const { recordings } = await page.questions.ask<RecordingsAnswer>("/v1/recordings", {
        select: "{service=" + quote(finding.service) + "}", from: String(finding.first), to: String(finding.last + 1), limit: "10000",
    });
    return { finding, report, recording: recordings.find(({ id: of }) => of === finding.evidence.recording) ?? null };
}

export function noFinding(): HTMLElement {
    return emptyState("There is no finding with this number", "Its samples were deleted, or the server has another store now.", "");
}

export function findingParts(page: Page, { finding, report, recording }: Detail): HTMLElement[] {
    const { service, place, hosts, versions } = finding;
    const rows: [string, (Node | string)[]][] = [
        ["Service", [link(nameOf(service), page.link({ view: "service", service, finding: "", part: "", by: "", hidden: [] }))]],
        ["Place", place === "" ? ["the whole JVM"] : [nameOf(place)]],
        ["Lost", [formatValue(finding.worst.lost_ns, "ns"), " in " + formatValue(finding.worst.duration_ns, "ns")]],
        ["Hosts", [nameOf(hosts.join(", ") || "–")]], ["Versions", [nameOf(versions.join(", ") || "–")]],
        ["Seen", [spanText({ from: finding.first, to: finding.last + 1 }, page.state.zone)]],
        ...evidenceRows(page, finding, report, recording),
    ];
    const said = (text: string) => element("bdi", { dir: "ltr" }, visibleName(text).slice(0, LONGEST));
    return [...(report ? [element("p", {}, said(report.text)), element("p", {}, "Remedy: ", said(report.remedy))] : []), element("table", { className: "facts" }, element("tbody", {}, ...rows.map(([head, cells]) =>
        element("tr", {}, element("th", { scope: "row" }, head), element("td", {}, ...cells)))))];
}

// The links to the evidence. What the server no longer has is said.
function evidenceRows(page: Page, { service }: Finding, report: Report | null, recording: Recording | null): [string, (Node | string)[]][] {
    if (!recording) {
        return [["Evidence", ["The recording in which it was worst was deleted."]]];
    }
    const { id, labels, raw, start, end } = recording;
    const whole = { from: start, to: end + 1 };
    const worst = report?.worst ? { from: Math.floor(report.worst.start / 1e9),
        to: Math.ceil((report.worst.start + report.worst.duration) / 1e9) } : null;
    const to = (what: Partial<State>, span: Span) => page.link({
        service, where: matchersOfLabels(labels), finding: "", part: "", by: "", hidden: [], ...span, ...what });
    const download = raw ? [" ", Object.assign(link("Download", "/v1/recordings/" + id, "As it was sent, byte for byte"), { download: "" })]
        : [element("span", { className: "quiet" }, " deleted; its samples are there")];
    const type = report ? typeOfKind(report.kind) : "";
    const graph = (name: string) => new URLSearchParams({ query: exactQuery(name), regex: "1" }).toString();
    return [
        ["Recording", [link(`${spanText(whole, page.state.zone)}, ${visibleName(labelsText(labels))}`, to({ view: "timeline", type: "" },
            whole), "The key metrics of this JVM in that time"), ...download]],
        ...(worst ? [["Worst window", [link(`${spanText(worst, page.state.zone)} (${lengthText(worst)})`,
            to({ view: "service", type, graph: "" }, worst), visibleName(report?.worst?.text ?? ""))]] as [string, Node[]]] : []),
        ...(type !== "" && report && report.marked.length > 0 ? [["In the flame graph", report.marked.flatMap((name) =>
            [link(nameOf(name), to({ view: "service", type, graph: graph(name) }, whole), "These frames in the recording"), " "])] as
            [string, (Node | string)[]]] : []),
    ];
}
