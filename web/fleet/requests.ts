// Requests: the endpoints by what they cost, the single requests that took longest or cost most, and the life of one of them across threads
// and processes.
import { formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { profileOf } from "../model/profile";
import { Life, Trace, lifeOf } from "../model/trace";
import { element, keepPlace } from "../page/dom";
import { Answer, GraphAnswer } from "./api";
import { EndpointsAnswer, WALL_TIME, askEndpoints, endpointTable, hasEndpoints, sentence, typesOf } from "./endpoints";
import { CPU_TIME } from "./kinds";
import { drawLife, pathTable, waitTable, wordOf } from "./life";
import { Page, View } from "./page";
import { emptyState, link, nameOf, skeleton } from "./parts";
import { ORDERS, SpansAnswer, askSpans, cellParameters, missingSpans, spanTable, traceLinks, unitOf } from "./slow";
import { SpanHeat } from "./spanheat";
import { Cell, cellOf, portable, selector, textOfCell } from "./state";
import { momentText, spanText } from "./times";

interface TraceAnswer extends Answer {
    trace: Trace | null;
}

export class Requests implements View {
    readonly word = "requests";
    readonly title = "Requests";
    readonly usesViewer = true;
    readonly usesSamples = true;
    readonly usesKind = true;
    readonly root = element("div", { className: "requests" });
    private readonly heading = element("h1", {});
    private readonly tabs = element("nav", { className: "tabs" });
    private readonly sentence = element("p", { className: "sentence" });
    private readonly content = element("div", {});
    private endpoints: EndpointsAnswer | null = null;
    private spans: SpansAnswer | null = null;
    private trace: { answer: Trace; life: Life } | null = null;
    private readonly heat = new SpanHeat((cell) => this.page?.change({ cell: textOfCell(cell) }));
    private page: Page | null = null;
    private problem = ""; // why there are no single requests, or why those of a cell have no profile
    private profiled: boolean | null = null; // whether the viewer shows the profile of a cell; null = not known yet

    constructor() {
        this.tabs.setAttribute("aria-label", "Order");
        this.root.append(element("div", { className: "row" }, this.heading), this.sentence, this.content);
        this.content.append(skeleton(6));
    }

    load(page: Page): Promise<void> {
        this.page = page;
        return page.state.trace === "" ? this.loadList(page) : this.loadTrace(page);
    }

    private async loadList(page: Page): Promise<void> {
        this.endpoints = await askEndpoints(page, page.span);
        this.trace = null;
        this.spans = null;
        this.profiled = null;
        this.problem = "";
        page.isOf(page.span);
        page.partial([this.endpoints.missing_text]);
        this.draw(page);
        page.viewer.hide();
        void this.loadSpans(page, this.endpoints.missing_text).catch((error: unknown) => {
            this.problem = error instanceof Error ? error.message : String(error);
            this.draw(page);
        });
    }

    // The server finds single requests in recordings, which takes seconds if there are many.
    private async loadSpans(page: Page, missing: string | undefined): Promise<void> {
        const cell = cellOf(page.state.cell);
        const spans = await askSpans(page, page.span, cell);
        this.spans = spans;
        page.partial([missing, missingSpans(spans)]);
        this.draw(page);
        if (!cell || spans.spans.length === 0) {
            return;
        }
        const graph = await this.askGraph(page, cell, spans);
        const profile = await page.questions.keep(profileOf(graph.page));
        this.profiled = profile.total > 0;
        page.partial([missing, missingSpans(spans), graph.server.missing_text]);
        this.draw(page);
        if (this.profiled) {
            page.viewer.show(profile);
        }
    }

    // The profile of the requests of a cell.
    private askGraph({ state, span, questions }: Page, cell: Cell, { spans }: SpansAnswer): Promise<GraphAnswer> {
        const type = state.type || (spans.some(({ cpu_ns: ns }) => ns > 0) ? CPU_TIME : WALL_TIME);
        return questions.ask<GraphAnswer>("/v1/flamegraph", {
            select: selector(state), from: String(span.from), to: String(span.to), type, ...cellParameters(state.slow, cell),
        });
    }

    // A request may be in any service, so only its id and the time select it.
    private async loadTrace(page: Page): Promise<void> {
        const { state: { trace }, questions } = page;
        const times = { from: String(page.span.from), to: String(page.span.to) };
        const answer = await questions.ask<TraceAnswer>("/v1/spans/" + encodeURIComponent(trace), times);
        this.trace = answer.trace && answer.trace.pieces.length > 0 ? { answer: answer.trace, life: lifeOf(answer.trace) } : null;
        const type = this.trace && this.trace.answer.cpu_ns === 0 ? WALL_TIME : CPU_TIME;
        const graph = this.trace ? await questions.ask<GraphAnswer>("/v1/flamegraph",
            { ...times, type: page.state.type || type, trace_id: trace }) : null;
        const profile = graph ? await questions.keep(profileOf(graph.page)) : null;
        page.isOf(page.span);
        page.partial([answer.missing_text]);
        this.draw(page);
        if (profile && profile.total > 0) {
            page.viewer.show(profile);
        } else {
            page.viewer.hide();
        }
    }

    draw(page: Page): void {
        const { state } = page;
        keepPlace(this.root, () => {
            if (state.trace === "") {
                this.drawList(page);
            } else {
                this.drawTrace(page);
            }
        });
    }

    // ---- endpoints, and the requests that cost most ----

    private drawList(page: Page): void {
        const { endpoints, spans } = this;
        const { state } = page;
        this.heading.textContent = (state.service === "" ? "All services" : visibleName(state.service)) + ": requests";
        if (!endpoints) {
            return;
        }
        const types = typesOf(endpoints);
        const type = types.includes(state.type) ? state.type : types[0] ?? CPU_TIME;
        const has = hasEndpoints(endpoints);
        this.sentence.replaceChildren(...(has ? sentence(endpoints, type) : []));
        if (!has && spans?.spans.length === 0 && spans.spans_outside === 0) {
            this.content.replaceChildren(emptyState("No endpoints in this time", "Samples have an endpoint if the program sets a context. "
                + "With OpenTelemetry two jars on the class path do that; any other program opens a scope:",
            'try (Scope scope = Candor.scope("GET /cart", traceId, spanId)) { ... }'));
            return;
        }
        this.showTabs(page);
        this.content.replaceChildren(
            ...(has ? [element("h2", {}, "Endpoints"), ...endpointTable(page, endpoints, type)] : []),
            element("h2", {}, "Single requests"), this.tabs,
            ...(spans ? [...this.heatParts(page, spans), ...spanTable(page, spans)] : [this.waiting()]));
        if (spans) {
            this.heat.regainFocus();
        }
    }

    private waiting(): HTMLElement {
        return this.problem === "" ? element("p", { className: "waiting" }, "Reading the recordings of this time…")
            : element("p", { className: "wrong" }, visibleName(this.problem));
    }

    // Says where the profile of a cell is.
    private profileText({ spans }: SpansAnswer): (Node | string)[] {
        if (this.problem !== "") {
            return [element("span", { className: "wrong" }, visibleName(this.problem)), " "];
        }
        if (spans.length === 0 || this.profiled === false) {
            return spans.length === 0 ? [] : ["They have no samples of this kind. "];
        }
        return [element("span", { className: this.profiled ? "" : "waiting" },
            this.profiled ? "The profile of their samples is below. " : "Reading the profile of their samples… ")];
    }

    // The heat map, and what was chosen in it.
    private heatParts({ state }: Page, answer: SpansAnswer): HTMLElement[] {
        const { heat, spans, spans_left_out: more } = answer;
        if (!heat || heat.cells.length === 0) {
            return [];
        }
        const cell = cellOf(state.cell);
        this.heat.show(heat, unitOf(state.slow), state.zone, cell);
        const all = element("button", { type: "button" }, "All requests");
        all.addEventListener("click", () => this.page?.change({ cell: "" }));
        return [this.heat.root, ...(cell ? [element("p", { className: "part-bar" },
            `In sight: ${plural(spans.length + more, "request")} that began ${spanText(cell.span, state.zone)}, with `
            + `${this.heat.rangeText(cell)}. `, ...this.profileText(answer), all)] : [])];
    }

    private showTabs(page: Page): void {
        this.tabs.replaceChildren(...ORDERS.map(([word, title]) => {
            const tab = link(title, page.link({ slow: word, cell: "" }));
            if (word === page.state.slow) {
                tab.setAttribute("aria-current", "true");
            }
            return tab;
        }));
    }

    // ---- one request ----

    private drawTrace(page: Page): void {
        const { trace } = page.state;
        const back = link("All requests", page.link({ trace: "", graph: portable(page.state.graph) }));
        this.heading.replaceChildren("Request ", ...(this.trace ? [nameOf(this.trace.answer.endpoint ?? "without an endpoint")] : []));
        if (!this.trace) {
            this.sentence.replaceChildren(back);
            this.content.replaceChildren(emptyState("No sample of this request in this time", "No recording that the server still "
                + `has holds a sample of trace ${trace}. Choose a longer time; requests are known as long as recordings are kept:`,
            "candor server --retain-recordings 7d"));
            return;
        }
        const { answer, life } = this.trace;
        this.sentence.replaceChildren(...this.say(answer, life));
        this.content.replaceChildren(
            element("p", { className: "row" }, back, element("span", {}, "Trace ", ...traceLinks(answer.trace_id, answer.link)),
                element("span", { className: "quiet" }, "began " + momentText(answer.from_ns, page.state.zone)),
                link("Recordings of this time", page.link({
                    view: "recordings", trace: "", service: "", where: [], from: Math.floor(answer.from_ns / 1e9),
                    to: Math.ceil(answer.to_ns / 1e9) + 1,
                }), "They have the pauses of the JVM, too")),
            drawLife(life), element("h2", {}, "Where its time went"), ...pathTable(life), ...waitTable(life),
            element("h2", {}, "Its stacks"));
    }

    private say(answer: Trace, { path, length, lanes }: Life): (Node | string)[] {
        const processes = new Set(lanes.map(({ process }) => process)).size;
        const waits = path.filter(({ state }) => state !== "running");
        const worked = path.reduce((sum, { state, ns }) => sum + (state === "running" ? ns : 0), 0);
        const most = waits[0];
        const where = `${plural(lanes.length, "thread")} of ${processes === 1 ? "one process" : processes + " processes"}`;
        const working = formatShare(length > 0 ? worked / length : 0);
        return [`It took at least ${formatValue(Math.round(length), "ns")}, in ${where}. A thread was on CPU for ${working} of that time`
            + (most ? "; the longest wait: " : "."),
        ...(most ? [`${wordOf(most.state)} in `, nameOf(most.method), `, ${formatValue(Math.round(most.ns), "ns")}.`] : []),
        answer.cpu_ns > 0 ? ` All its threads together used ${formatValue(answer.cpu_ns, "ns")} of CPU time` : "",
        answer.cpu_ns > 0 && answer.allocated_bytes > 0 ? ` and allocated ${formatValue(answer.allocated_bytes, "bytes")}` : "",
        answer.cpu_ns > 0 ? "." : ""];
    }
}
