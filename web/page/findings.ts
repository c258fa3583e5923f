// Shows the findings of the rules of `candor analyze`, with links to the evidence.
import { clockOf } from "../model/clock";
import { visibleName } from "../model/names";
import { Finding } from "../model/parts";
import { App } from "./app";
import { element } from "./dom";
import { chooseTime } from "./halts";
import { action } from "./widgets";

const LONGEST = 1000;
const SECOND = 1e9;

export function findingsPanel(app: App, findings: Finding[]): HTMLElement[] {
    return findings.map((finding) => {
        const { severity, title, text, remedy, kind, names, worst } = finding;
        const shown = (of: string) => element("bdi", { dir: "ltr" }, visibleName(of).slice(0, LONGEST));
        const evidence = kind !== "" && (kind === "halt" ? app.panels?.halts : app.kinds.has(kind));
        const show = () => void app.showEvidence(kind, names);
        const buttons = evidence ? [action("Show the evidence", "Where the figures come from", show)] : [];
        const times = worst && app.profile.slices && app.profile.slices.startNs > 0 ? [action("Worst from " + clockOf(worst.start, SECOND)
            + " to " + clockOf(worst.start + worst.duration, SECOND), "Choose this time: " + visibleName(worst.text).slice(0, LONGEST),
        () => chooseTime(app, worst.start, worst.duration, 0))] : [];
        return element("article", { className: severity === "warning" || severity === "critical" ? "wrong" : "" },
            element("h2", {}, shown(title)), element("p", {}, shown(text)),
            element("p", { className: "remedy" }, "Remedy: ", shown(remedy)), ...buttons, ...times);
    });
}
