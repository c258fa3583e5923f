// Recordings: what the server keeps, by time or by any key metric; each opens in the viewer, is downloaded, or compared with another one.
// A file of the user's machine is shown in the same viewer: a page without being sent anywhere, a recording as the page that the server
// makes of it.
import { compareProfiles } from "../model/compare";
import { formatCount, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { profileOf } from "../model/profile";
import { element, keepPlace } from "../page/dom";
import { Answer, GraphAnswer, MetricsAnswer, Recording, RecordingsAnswer } from "./api";
import { labelsText, matchersOfLabels } from "./jvms";
import { titleOfType, typeOfKind } from "./kinds";
import { Local, NoPage, readLocal, readPage } from "../model/local";
import { metricText } from "./metricchart";
import { Page, View } from "./page";
import { bringIntoSight, emptyState, link, nameOf, refusal, skeleton } from "./parts";
import { RECORDINGS } from "./sides";
import { quote, recordingSelector, selector, textOfSpan, timesOf } from "./state";
import { Column, tableOf } from "./table";
import { spanText } from "./times";

const MOST = "200";
const MOST_HITS = "1000";
const LOOKED_AT = 256; // bytes of a file that show whether it is a page
const BY_TIME = "time, the latest first";

interface Hit {
    recording: number | null;
    minute: number;
    value: number;
}

interface SearchAnswer extends Answer {
    unit: string;
    hits: Hit[];
    matched: number;
    without_metrics: number;
}

interface Row {
    recording: Recording;
    value: number | null; // of the metric, in the recording's worst minute
}

// from: "here" = read in this browser; "sent" = sent to the server, which made the page of it; or else the number of one of its recordings.
type Opened = Local & { from: string };

export class Recordings implements View {
    readonly word = "recordings";
    readonly title = "Recordings";
    readonly usesViewer = true;
    readonly usesSamples = false;
    readonly usesKind = true;
    readonly root = element("div", { className: "recordings" });
    private readonly order = element("select", {});
    private readonly file = element("input", { type: "file", accept: ".jfr,.html,.json,.gz,.zst,.lz4,.xz" });
    private readonly sentence = element("p", { className: "sentence" });
    private readonly pick = element("p", { className: "part-bar", hidden: true });
    private readonly content = element("div", {});
    private readonly local = element("section", { className: "local", hidden: true });
    private readonly problem = element("p", { className: "wrong", hidden: true });
    private rows: Row[] = [];
    private unit = "";
    private more = "";
    private opened: Opened | null = null;
    private turn = 0; // counts what the user does with files; an answer to something earlier is not shown
    private page: Page | null = null;

    constructor() {
        const drop = element("section", { className: "drop" }, element("label", {}, "Look at a file of this machine: drop it here, or ",
            this.file), element("p", { className: "aside" }, "A page of ", element("code", {}, "candor convert"),
            " stays in this browser. Of a recording, the server makes the page, and keeps neither."));
        this.root.append(element("div", { className: "row" }, element("h1", {}, "Recordings"),
            element("label", {}, "Ordered by ", this.order)), this.sentence, this.pick, this.content, drop, this.problem, this.local);
        this.content.append(skeleton(6));
        this.order.addEventListener("change", () => this.page?.change({ order: this.order.value }));
        this.problem.setAttribute("role", "alert");
        this.file.addEventListener("change", () => void this.read(this.file.files?.[0]));
        this.listenToDrops();
    }

    async load(page: Page): Promise<void> {
        const wasHere = this.page !== null;
        this.page = page;
        const { state, questions } = page;
        const asked = { ...timesOf(state), select: recordingSelector(state) };
        const list = await questions.ask<RecordingsAnswer>("/v1/recordings",
            { ...asked, limit: state.order === "" ? MOST : MOST_HITS, ...(state.type === "" ? {} : { type: state.type }) });
        if (state.order === "") { // what it was ordered by before is not known of this time yet
            this.order.replaceChildren(new Option(BY_TIME, ""));
        }
        this.order.classList.add("waiting");
        const orders = this.loadOrders(page, asked);
        if (state.order !== "") {
            await orders; // its title and unit
        } else {
            orders.catch((error: unknown) => page.partial([list.missing_text, "key metrics to order by: " + String(error)]));
        }
        this.rows = state.order === "" ? list.recordings.map((recording) => ({ recording, value: null }))
            : await this.ordered(page, asked, list.recordings);
        this.more = list.complete || state.order !== "" ? "" : ` The latest ${MOST} are listed.`;
        page.partial([list.missing_text]);
        this.draw(page);
        if (/^\d/.test(state.recording)) {
            const text = await questions.page(`/v1/recordings/${state.recording}/page`);
            const isNew = wasHere && this.opened?.from !== state.recording; // the user has chosen it in the list
            this.opened = { ...await questions.keep(readPage("recording " + state.recording, text)), from: state.recording };
            if (isNew) {
                this.showLocal(page, this.opened);
                bringIntoSight(this.local);
            }
        } else if (/^\d/.test(this.opened?.from ?? "")) {
            this.opened = null;
            this.local.hidden = true;
        }
        if (this.opened) {
            this.showLocal(page, this.opened);
        } else {
            page.viewer.hide();
        }
    }

    // Offers the key metrics that these recordings have. The list need not wait for them, unless it is ordered by one.
    private async loadOrders({ state, questions }: Page, asked: { from: string; to: string; select: string }): Promise<void> {
        const metrics = await questions.ask<MetricsAnswer>("/v1/metrics", { ...asked, step: "all" })
            .finally(() => { this.order.classList.remove("waiting"); });
        this.order.replaceChildren(new Option(BY_TIME, ""), ...metrics.metrics.map(({ name, title, series }) =>
            Object.assign(new Option(title, name), { disabled: series.length === 0 && name !== state.order })));
        this.order.value = state.order;
        this.unit = metrics.metrics.find(({ name }) => name === state.order)?.unit ?? "";
    }

    // The recordings that cover the minutes with the largest values, each once.
    private async ordered(page: Page, asked: { from: string; to: string; select: string }, recordings: Recording[]): Promise<Row[]> {
        const answer = await page.questions.ask<SearchAnswer>("/v1/search", { ...asked, order: page.state.order, limit: MOST_HITS });
        const known = new Map(recordings.map((recording) => [recording.id, recording]));
        const best = new Map<number, number>();
        answer.hits.forEach(({ recording, value }) => {
            if (recording !== null && !best.has(recording)) {
                best.set(recording, value);
            }
        });
        return [...best].flatMap(([id, value]) => {
            const recording = known.get(id);
            return recording ? [{ recording, value }] : [];
        });
    }

    draw(page: Page): void {
        const { state } = page;
        keepPlace(this.content, () => this.content.replaceChildren(this.rows.length === 0
            ? emptyState("No recordings in this time", state.order === "" ? "Choose a longer time, or take a label away."
                : "No recording of this time has this metric. Order by time, or choose a longer one.", "")
            : tableOf("Recordings", this.columns(page), this.rows, ({ recording }, line) => { line.dataset.id = String(recording.id); })));
        const bytes = this.rows.reduce((sum, { recording }) => sum + recording.bytes, 0);
        const title = [...this.order.options].find(({ value }) => value === state.order)?.text ?? "";
        this.sentence.textContent = this.rows.length === 0 ? "" : `${plural(this.rows.length, "recording")}, ${formatValue(bytes, "bytes")}`
            + (state.order === "" ? "." : `, those with the largest value of “${title}” in a minute first.`) + this.more;
        this.showPick(page);
    }

    private columns(page: Page): Column<Row>[] {
        const { zone, order } = page.state;
        const value: Column<Row>[] = order === "" ? [] : [{
            title: this.order.selectedOptions[0]?.text ?? order, kind: "number", hint: "in the minute in which it was largest",
            cell: ({ value: of }) => (of === null ? "–" : metricText(of, this.unit)),
        }];
        return [
            { title: "Time", kind: "text", cell: ({ recording }) => spanText(spanOf(recording), zone) },
            {
                title: "Service", kind: "name",
                cell: ({ recording: { service } }) =>
                    [link(nameOf(service), page.link({ service, view: "service" }), visibleName(service))],
            },
            { title: "Labels", kind: "method", cell: ({ recording: { labels } }) => [nameOf(labelsText(labels))] },
            ...value,
            {
                title: "Samples", kind: "method",
                cell: ({ recording: { contents } }) => contents.map(({ type }) => titleOfType(type)).join(", "),
            },
            { title: "Size", kind: "number", cell: ({ recording: { bytes } }) => formatValue(bytes, "bytes") },
            { title: "Actions", cell: ({ recording }) => this.actions(page, recording, spanOf(recording)) },
        ];
    }

    private actions(page: Page, recording: Recording, span: { from: number; to: number }): HTMLElement[] {
        const { pick } = page.state;
        const { id, service, labels, raw } = recording;
        const where = matchersOfLabels(labels);
        const open = raw ? [link("Open", page.link({ recording: String(id), graph: "" }),
            "All of it: each kind of sample, its threads, halts, locks, what is alive, and machine code")] : [];
        const samples = link("Samples", page.link({ view: "service", service, where, ...span, part: "", order: "", graph: "" }),
            "Its samples, as the server keeps them for long");
        const download = raw ? Object.assign(link("Download", "/v1/recordings/" + id, "As it was sent, byte for byte"), { download: "" })
            : element("span", { className: "quiet", title: "The server has only its samples" }, "deleted");
        const chosen = pick === String(id);
        const compare = element("button", { type: "button" }, chosen ? "Chosen" : pick === "" ? "Compare…" : "Compare with it");
        compare.setAttribute("aria-pressed", String(chosen));
        compare.addEventListener("click", () => (pick === "" || chosen
            ? page.change({ pick: pick === "" ? String(id) : "" }) : this.compare(page, Number(pick), recording)));
        return [element("span", { className: "actions" }, ...open, samples, download, compare)];
    }

    // Leads to the comparison of two recordings: the samples with their labels, each in its own time.
    private compare(page: Page, first: number, two: Recording): void {
        const one = this.rows.find(({ recording }) => recording.id === first)?.recording;
        if (!one) {
            page.change({ pick: String(two.id) });
            return;
        }
        const side = ({ service, labels, start, end }: Recording) => ({
            matcher: ["service=" + quote(service), ...matchersOfLabels(labels)].join(","),
            span: textOfSpan(spanOf({ start, end })),
        });
        const [before, after] = [side(one), side(two)];
        page.change({
            view: "compare", against: RECORDINGS, service: "", where: [], pick: "", order: "", one: before.matcher, other: before.span,
            two: after.matcher, part: after.span, graph: "",
            from: Math.min(one.start, two.start), to: Math.max(one.end, two.end) + 1,
        });
    }

    private showPick(page: Page): void {
        const { pick } = page.state;
        const one = this.rows.find(({ recording }) => String(recording.id) === pick)?.recording;
        this.pick.hidden = pick === "";
        const cancel = element("button", { type: "button" }, "Cancel");
        cancel.addEventListener("click", () => page.change({ pick: "" }));
        this.pick.replaceChildren(`Recording ${formatCount(Number(pick))}`, ...(one ? [" of ", nameOf(one.service)] : []),
            " is chosen. Choose the one to compare it with. ", cancel);
    }

    // ---- a file of the user's machine ----

    private listenToDrops(): void {
        const mark = (on: boolean) => this.root.classList.toggle("dropping", on);
        this.root.addEventListener("dragover", (event) => {
            event.preventDefault();
            mark(true);
        });
        this.root.addEventListener("dragleave", () => mark(false));
        this.root.addEventListener("drop", (event) => {
            event.preventDefault();
            mark(false);
            void this.read(event.dataTransfer?.files[0]);
        });
    }

    private async read(file: File | undefined): Promise<void> {
        const { page } = this;
        if (!file || !page) {
            return;
        }
        const turn = ++this.turn;
        this.tell("Reading " + visibleName(file.name) + " …");
        try {
            const opened = await this.pageOf(page, file);
            if (turn === this.turn) {
                this.opened = opened;
                this.tell("");
                this.showLocal(page, opened);
            }
        } catch (error) {
            this.tellIn(turn, error);
        }
    }

    // A recording is sent to the server, which answers with its page.
    private async pageOf(page: Page, file: File): Promise<Opened> {
        const start = new TextDecoder().decode(await file.slice(0, LOOKED_AT).arrayBuffer());
        if (/^\s*[<{]/.test(start)) {
            try {
                return { ...await readLocal(file), from: "here" };
            } catch (error) {
                if (!(error instanceof NoPage) || !/^\s*\{/.test(start)) { // other profilers write JSON, too
                    throw error;
                }
            }
        }
        return { ...await readPage(file.name, await page.questions.page("/v1/page", file)), from: "sent" };
    }

    private tellIn(turn: number, error: unknown): void {
        if (turn === this.turn) {
            this.tell(refusal(error, "the scope read"));
        }
    }

    private tell(text: string): void {
        this.problem.textContent = text;
        this.problem.hidden = text === "";
    }

    private showLocal(page: Page, opened: Opened): void {
        const { name, profiles, from } = opened;
        const close = element("button", { type: "button" }, "Close");
        close.addEventListener("click", () => {
            this.turn++;
            this.opened = null;
            this.local.hidden = true;
            this.file.value = "";
            page.viewer.hide();
            page.change({ recording: "", graph: "" });
        });
        const service = element("select", {}, new Option("no, alone", ""), ...page.services.map((one) =>
            new Option(visibleName(one.name), one.name)));
        service.addEventListener("change", () => void this.compareLocal(page, service.value));
        if (!/^\d/.test(from) && page.state.recording !== "") {
            page.change({ recording: "", graph: "" }, false);
        }
        this.local.hidden = false;
        this.local.replaceChildren(element("h2", {}, nameOf(name)), element("p", { className: "aside" },
            from === "sent" ? "The server made this page of it, and kept nothing."
            : from === "here" ? "It was read in this browser, and sent nowhere."
                : "As the server received it."), element("p", { className: "row" },
            element("label", {}, "Beside the samples of a service in this time ", service), close));
        page.viewer.showRecording(opened, profiles[0].kind, null);
    }

    // Shows the difference between a service in this time, which is before, and the file.
    private async compareLocal(page: Page, service: string): Promise<void> {
        const { opened } = this;
        const turn = ++this.turn;
        if (!opened) {
            return;
        }
        const [profile] = opened.profiles;
        const type = typeOfKind(profile.kind);
        if (service === "") {
            page.viewer.showRecording(opened, profile.kind, null);
            return;
        }
        try {
            const graph = await page.questions.ask<GraphAnswer>("/v1/flamegraph", {
                ...timesOf(page.state), select: selector({ ...page.state, service }), ...(type === "" ? {} : { type }) });
            const other = await page.questions.keep(profileOf(graph.page));
            if (turn !== this.turn) {
                return;
            }
            if (other.total === 0 || other.unit !== profile.unit) {
                throw new Error("The service has no samples of this kind in this time");
            }
            this.tell("");
            page.viewer.show(compareProfiles(other, profile));
        } catch (error) {
            this.tellIn(turn, error);
        }
    }
}

// The seconds in which a recording has samples. The last one is included.
function spanOf({ start, end }: Pick<Recording, "start" | "end">): { from: number; to: number } {
    return { from: start, to: end + 1 };
}
