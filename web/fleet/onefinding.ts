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
const MOST = "10000"; // recordings among which the evidence is looked for

export interface Detail {
    finding: DetailAnswer;
    report: Report | null; // null = the server cannot read it
    worst: Span | null; // the window in which it was worst; null = the whole recording
    recording: Recording | null; // the evidence; null = the server no longer lists it
}

type DetailAnswer = Finding & { finding: Json; evidence: { recording: number; exists: boolean } };
type Fact = [string, (Node | string)[]];

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
    const worst = report?.worst ? { from: Math.floor(report.worst.start / 1e9),
        to: Math.ceil((report.worst.start + report.worst.duration) / 1e9) } : null;
    const { from, to } = worst ?? { from: finding.first, to: finding.last + 1 };
    const { recordings } = await page.questions.ask<RecordingsAnswer>("/v1/recordings",
        { select: "{service=" + quote(finding.service) + "}", from: String(from), to: String(to), limit: MOST });
    return { finding, report, worst, recording: recordings.find((one) => one.id === finding.evidence.recording) ?? null };
}

export function noFinding(): HTMLElement {
    return emptyState("There is no finding with this number", "Its samples were deleted, or the server has another store now.", "");
}

export function findingParts(page: Page, detail: Detail): HTMLElement[] {
    const { finding: { service, place, hosts, versions, worst, first, last }, report } = detail;
    const facts: Fact[] = [
        ["Service", [link(nameOf(service), page.link({ view: "service", service, finding: "", part: "", by: "", hidden: [] }))]],
        ["Place", place === "" ? ["the whole JVM"] : [nameOf(place)]],
        ["Lost", [formatValue(worst.lost_ns, "ns"), " in " + formatValue(worst.duration_ns, "ns")]],
        ["Hosts", [nameOf(hosts.join(", ") || "–")]], ["Versions", [nameOf(versions.join(", ") || "–")]],
        ["Seen", [spanText({ from: first, to: last + 1 }, page.state.zone)]], ...evidence(page, detail),
    ];
    const said = (text: string) => element("bdi", { dir: "ltr" }, visibleName(text).slice(0, LONGEST));
    const lines = facts.map(([head, cells]) =>
        element("tr", {}, element("th", { scope: "row" }, head), element("td", {}, ...cells)));
    return [...(report ? [element("p", {}, said(report.text)), element("p", {}, "Remedy: ", said(report.remedy))] : []),
        element("table", { className: "facts" }, element("tbody", {}, ...lines))];
}

// The links to the evidence. What the server no longer has is said.
function evidence(page: Page, { finding: { service, evidence: { recording: id, exists } }, report, worst, recording }: Detail): Fact[] {
    const download = exists ? Object.assign(link("Download", "/v1/recordings/" + id, "As it was sent, byte for byte"), { download: "" })
        : element("span", { className: "quiet" }, "its file was deleted");
    if (!recording) {
        return [["Recording", [download]]];
    }
    const whole = { from: recording.start, to: recording.end + 1 };
    const { zone } = page.state;
    const to = (what: Partial<State>) => page.link({ service, where: matchersOfLabels(recording.labels), finding: "", part: "", by: "",
        hidden: [], ...whole, ...what });
    const facts: Fact[] = [["Recording", [link(`${spanText(whole, zone)}, ${visibleName(labelsText(recording.labels))}`,
        to({ view: "timeline", type: "" }), "The key metrics of this JVM in that time"), " ", download]]];
    const type = report ? typeOfKind(report.kind) : "";
    if (worst) {
        facts.push(["Worst window", [link(`${spanText(worst, zone)} (${lengthText(worst)})`,
            to({ view: "service", type, graph: "", ...worst }), visibleName(report?.worst?.text ?? "").slice(0, LONGEST))]]);
    }
    if (report && type !== "" && report.marked.length > 0) {
        const graph = (name: string) => new URLSearchParams({ query: exactQuery(name), regex: "1" }).toString();
        facts.push(["In the flame graph", report.marked.flatMap((name) =>
            [link(nameOf(name), to({ view: "service", type, graph: graph(name) }), "These frames in the recording"), " "])]);
    }
    return facts;
}
