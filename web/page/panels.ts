// Shows a button each for findings, halts, locks, what is alive, endpoints, and traces, and the panel that the chosen button opens. The
// panel about a chosen time opens from that time (sight.ts, times.ts).
import { formatCount } from "../model/figures";
import { Live, readLive } from "../model/live";
import { Finding, Halts, Json, Locks, PartReader, parsePart, readFindings, readHalts, readLocks } from "../model/parts";
import { Spans, readSpans } from "../model/spans";
import { Span } from "../model/why";
import { App } from "./app";
import { byId, element } from "./dom";
import { endpointsPanel } from "./endpoints";
import { findingsPanel } from "./findings";
import { haltsPanel } from "./halts";
import { livePanel } from "./live";
import { locksPanel } from "./locks";
import { tracesPanel } from "./traces";
import { chosenSpan, whyPanel } from "./why";

export type PanelName = "findings" | "halts" | "locks" | "live" | "endpoints" | "traces" | "why";

// The parts in the elements of the page.
export function partOfPage(name: string): Json | null {
    const found = [...document.querySelectorAll<HTMLElement>("script.candor-part")].find(({ dataset }) => dataset.part === name);
    return found ? parsePart(found.textContent ?? "") : null;
}

export class Panels {
    findings: Finding[] = [];
    halts: Halts | null = null;
    locks: Locks = readLocks(null);
    live: Live | null = null;
    spans: Spans | null = null; // read after the first picture; null = none
    private buttons = new Map<PanelName, HTMLButtonElement>();
    private shown: unknown[] = [];

    constructor(private readonly app: App) {
        app.eachParts((part) => this.read(part));
    }

    private read(part: PartReader): void {
        const { app } = this;
        this.findings = readFindings(part("findings"));
        this.halts = readHalts(part("halts"));
        this.locks = readLocks(part("locks"));
        this.live = readLive(part("live"));
        this.spans = null;
        this.shown = [];
        this.buttons = new Map();
        byId("panel-bar").replaceChildren();
        const all: [PanelName, string, number][] = [
            ["findings", "Findings (" + this.findings.length + ")", this.findings.length],
            ["halts", "Halts", this.halts ? this.halts.kinds.length : 0],
            ["locks", "Locks (" + this.locks.rows.length + ")", this.locks.rows.length + (this.locks.idle ? 1 : 0)],
            ["live", "Live and growing", this.live ? 1 : 0],
        ];
        app.mark(this.findings.map(({ title, marked }) =>
            ({ title, names: marked, open: () => app.change({ panel: "findings" }, true) })));
        all.filter(([, , count]) => count > 0).forEach(([name, label]) => this.offer(name, label));
        // Spans are many, so they are read beside the first picture. A page without them, or with damaged ones, has the rest all the same.
        app.readBeside.push(readSpans(part("spans")).catch(() => null).then((spans) => {
            const named = spans ? spans.endpoints.filter(({ name }) => name !== "").length : 0;
            if (!spans || named + spans.rows.length === 0 || part !== app.parts) {
                return;
            }
            this.spans = spans;
            if (named > 0) {
                this.offer("endpoints", "Endpoints (" + formatCount(named + spans.others.count) + ")");
            }
            if (spans.rows.length > 0) {
                this.offer("traces", "Traces (" + formatCount(spans.traces) + ")");
            }
            app.start();
        }));
    }

    private offer(name: PanelName, label: string): void {
        const { app } = this;
        const button = element("button", { type: "button" }, label);
        button.setAttribute("aria-controls", "panel");
        button.addEventListener("click", () => app.change({ panel: app.state.panel === name ? "none" : name }, true));
        this.buttons.set(name, button);
        byId("panel-bar").append(button);
    }

    show(): void {
        const { state, profile } = this.app;
        const { panel } = state;
        this.buttons.forEach((button, name) => button.setAttribute("aria-pressed", String(name === panel)));
        const span = chosenSpan(this.app);
        // The panels are about the recording of this page, not about a file that was opened beside it.
        const { isOfPage } = this.app;
        byId("panel-bar").hidden = this.buttons.size === 0 || !isOfPage;
        const open = !isOfPage ? false : panel === "why" ? span !== null : panel !== "none" && this.buttons.has(panel);
        byId("panel").hidden = !open;
        const shown = [panel, state.by, state.from, state.to, state.threads.join(), profile];
        if (!open || shown.every((value, i) => value === this.shown[i])) {
            return;
        }
        this.shown = shown;
        byId("panel").setAttribute("aria-label", panel);
        byId("panel").replaceChildren(...this.content(panel as PanelName));
    }

    private content(panel: PanelName): HTMLElement[] {
        switch (panel) {
            case "findings": return findingsPanel(this.app, this.findings);
            case "locks": return locksPanel(this.app, this.locks);
            case "live": return livePanel(this.live as Live, (site) => void this.app.showEvidence("live", [site]));
            case "endpoints": return endpointsPanel(this.app, this.spans as Spans);
            case "traces": return tracesPanel(this.app, this.spans as Spans);
            case "why": return whyPanel(this.app, chosenSpan(this.app) as Span);
            default: return haltsPanel(this.app, this.halts as Halts);
        }
    }
}
