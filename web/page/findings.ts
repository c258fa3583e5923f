// Shows the findings of the rules of `candor analyze`, with links to the evidence.
import { visibleName } from "../model/names";
import { Finding } from "../model/parts";
import { App } from "./app";
import { element } from "./dom";
import { action } from "./widgets";

const LONGEST = 1000;

export function findingsPanel(app: App, findings: Finding[]): HTMLElement[] {
    return findings.map((finding) => {
        const { severity, title, text, remedy, kind, names } = finding;
        const shown = (of: string) => element("bdi", { dir: "ltr" }, visibleName(of).slice(0, LONGEST));
        const evidence = kind !== "" && (kind === "halt" ? app.panels?.halts : app.kinds.has(kind));
        const show = () => void app.showEvidence(kind, names);
        const buttons = evidence ? [action("Show the evidence", "Where the figures come from", show)] : [];
        return element("article", { className: severity === "warning" || severity === "critical" ? "wrong" : "" },
            element("h2", {}, shown(title)), element("p", {}, shown(text)),
            element("p", { className: "remedy" }, "Remedy: ", shown(remedy)), ...buttons);
    });
}
