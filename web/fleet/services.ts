// The first view: a row for each service, the busiest first.
import { formatCount, formatInterval, formatShare, plural } from "../model/figures";
import { splitName, visibleName } from "../model/names";
import { afterPicture, element, keepPlace } from "../page/dom";
import { ONE_VERSION, canAsk, largestChange, questionAgainst } from "./against";
import { Parameters, Series, SeriesAnswer, Service, TopAnswer } from "./api";
import { binsOf, sparkline } from "./chart";
import { Favorites } from "./favorites";
import { ChangesAnswer, askChanges, canJudge, shownOf } from "./judged";
import { ALLOCATION, CPU_TIME, LOCK_TIME, orderTypes, rateText, titleOfType } from "./kinds";
import { Page, View } from "./page";
import { coverageOf, coverageText, emptyState, link, nameOf, partialMark, skeleton, versions } from "./parts";
import { SIDES, VERSION, isTime } from "./sides";
import { DEFAULTS, Span, State, quote, secondsIn, selector, timesOf } from "./state";
import { lengthText, stepFor } from "./times";
import { CALM, Trouble, askTroubles } from "./troubles";

const SEND = "candor daemon --server http://THIS-SERVER:4041     # profiles all JVMs of a host\n"
    + "curl --data-binary @app.jfr 'http://THIS-SERVER:4041/v1/recordings?service=shop'     # sends one recording";

// Data that need a separate request, and are therefore known later than the rest. undefined = not known yet; null = there is none.
interface Later {
    asked: boolean; // for the books
    hot: { name: string; share: number; interval: string } | null | undefined;
    trouble: Trouble | undefined;
    changed: ChangesAnswer | string | undefined; // a text: why there is no answer
    alloc: number | null | undefined; // as Row.rate
    lock: number | null | undefined;
    coverage: number | null | undefined;
    coverageText: string;
    missing: string; // says which data the figures of the service lack; "" = none
}

interface Row {
    service: Service;
    bins: Float64Array;
    rate: number | null; // weight a second; null = the service does not measure it
    share: number;
    later: Later;
}

interface Column {
    word: string;
    title: string;
    hint: string;
    number: boolean;
    order: ((row: Row) => number | string) | null;
}

const COLUMNS: Column[] = [
    { word: "name", title: "Service", hint: "", number: false, order: ({ service }) => service.name },
    { word: "", title: "Trend", hint: "over the time; all rows have one scale", number: false, order: null },
    { word: "rate", title: "CPU", hint: "on average over the time", number: true, order: (row) => -(row.rate ?? -1) },
    { word: "share", title: "Share", hint: "of all services in sight", number: true, order: (row) => -(row.rate ?? -1) },
    {
        word: "method", title: "Hottest own method", number: false, order: ({ later }) => -(later.hot?.share ?? -1),
        hint: "the program's own method with most weight, libraries and JDK below it included; its share, with the 95% interval",
    },
    {
        word: "changed", title: "Surely changed", number: false, order: null,
        hint: "the largest change that chance does not explain, in percentage points of the service's cost",
    },
    { word: "alloc", title: "Allocation", hint: "on average over the time", number: true, order: ({ later }) => -(later.alloc ?? -1) },
    { word: "lock", title: "Lock wait", hint: "threads that waited, on average", number: true, order: ({ later }) => -(later.lock ?? -1) },
    {
        word: "gc", title: "GC", hint: "share of the time in which collections stopped the program, on average", number: true,
        order: ({ later }) => -(later.trouble?.gc ?? -1),
    },
    { word: "hosts", title: "Hosts", hint: "", number: true, order: ({ service }) => -(service.labels.host?.length ?? 0) },
    { word: "version", title: "Newest version", hint: "", number: false, order: ({ service }) => newest(service) },
    {
        word: "coverage", title: "Coverage", hint: "share of the CPU time (or bytes) that was sampled", number: true,
        order: ({ later }) => later.coverage ?? 2,
    },
    {
        word: "finding", title: "Worst finding", hint: "of those that are open or acknowledged", number: false,
        order: ({ later }) => -(later.trouble?.findings ?? -1),
    },
    { word: "recordings", title: "Recordings", hint: "", number: true, order: ({ service }) => -service.recordings },
];

// What the list compares with: the last version, or another time.
const COMPARED = SIDES.filter(({ word }) => word === VERSION || isTime(word));
const againstOf = ({ against }: State) => (COMPARED.some(({ word }) => word === against) ? against : VERSION);

const ROWS_AT_ONCE = 30; // until it is known how high they are
const MOST_VALUES = 100; // the server lists no more values of a label

function newest(service: Service): string {
    return (service.labels.version ?? []).slice().sort(versions.compare).pop() ?? "";
}

// Says which version is the newest, if the server lists all of them.
function versionText(service: Service): (Node | string)[] {
    const version = newest(service);
    const count = service.labels.version?.length ?? 0;
    if (version === "" || count >= MOST_VALUES) {
        return [version === "" ? "–" : MOST_VALUES + " or more versions"];
    }
    return [nameOf(version), element("span", { className: "quiet" }, count > 1 ? " and " + (count - 1) + " older" : "")];
}

// The choices that show one service.
const only = ({ name }: Service): Partial<State> => ({ view: "service", service: name, part: "", by: "", hidden: [] });

const sortsByCoverage = ({ sort }: State) => sort.replace(/^-/, "") === "coverage";

const sumOf = (series: Series | undefined) => (series ? series.points.reduce((sum, [, weight]) => sum + weight, 0) : null);

// The parameters of a question about all services over time.
const byService = (state: State, type: string, times: Parameters): Parameters =>
    ({ select: selector({ ...state, service: "" }), type, by: "service", ...times });

// The weight a second. null = the service does not measure it.
function rateOf({ series, from, to }: SeriesAnswer, name: string): number | null {
    const sum = sumOf(series.find(({ value }) => value === name));
    return sum === null ? null : sum / Math.max(1, to - from);
}

const rateCell = (type: string, rate: number | null) => (rate === null ? "–" : rateText(type, rate));

export class Services implements View {
    readonly word = "services";
    readonly title = "Services";
    readonly usesViewer = false;
    readonly usesSamples = true;
    readonly usesKind = true;
    readonly root = element("main", { className: "services" });
    private readonly summary = element("p", { className: "sentence" });
    private readonly body = element("tbody", {});
    private readonly heads = element("tr", {});
    private readonly table = element("table", { className: "fleet" },
        element("caption", { className: "spoken" }, "Services, by what they use"),
        element("thead", {}, this.heads), this.body);
    private rows: Row[] = [];
    private readonly favorites = new Favorites();
    private missing: (string | undefined)[] = []; // what the answers lack
    private type = CPU_TIME;
    private span: Span = { from: 0, to: 1 };
    private wanted: Row[] = []; // in their order
    private readonly lines = new Map<Row, HTMLTableRowElement>(); // those of them that are in the table already
    private readonly afterPicture = afterPicture();
    private made = new Map<Row, HTMLTableRowElement>(); // all that were made; another order uses them again
    private readonly filled = new Set<Row>(); // those of them that show all that is known
    private readonly targets = new WeakMap<HTMLAnchorElement, Partial<State>>(); // of links whose address changes with the order
    private observer: IntersectionObserver | null = null;
    private height = 0; // of the lowest row that was seen last; 0 = not known yet
    private comparing: Promise<void> = Promise.resolve();
    private readonly against = element("select", {});
    private readonly top = element("div", { className: "row" }, element("h1", {}, "Services"),
        element("label", { className: "end" }, "Changes against ", this.against));
    private readonly none = element("p", { className: "nothing" }, "No service's name contains this text.");
    private readonly all = element("p", { className: "aside" });
    private readonly parts = [this.top, this.summary, element("div", { className: "table" }, this.table), this.none, this.all];
    private page: Page | null = null;

    constructor() {
        this.against.append(...COMPARED.map(({ word, title }) => new Option(title, word)));
        this.against.addEventListener("change", () => this.page?.change({ against: this.against.value }));
        this.root.append(this.top, this.summary, skeleton(6));
        this.body.addEventListener("keydown", (event) => this.key(event));
    }

    expect({ state, questions }: Page): void {
        questions.expect("/v1/series", byService(state, state.type || CPU_TIME, { ...timesOf(state), step: stepFor(secondsIn(state)) }));
    }

    async load(page: Page): Promise<void> {
        this.page = page;
        this.comparing = Promise.resolve();
        const { state, questions, services } = page;
        const type = state.type || (orderTypes(services.flatMap(({ types }) => Object.keys(types)))[0] ?? CPU_TIME);
        const main = await questions.ask<SeriesAnswer>("/v1/series",
            byService(state, type, { ...timesOf(state), step: stepFor(secondsIn(state)) }));
        this.span = { from: main.from, to: main.to };
        const seconds = Math.max(1, main.to - main.from);
        const all = main.series.reduce((sum, series) => sum + (sumOf(series) ?? 0), 0);
        this.type = type;
        this.made.clear();
        this.filled.clear();
        const pointsOf = (name: string) => main.series.find(({ value }) => value === name)?.points ?? [];
        this.rows = services.map((service) => ({
            service, bins: binsOf(pointsOf(service.name), { span: this.span, step: main.step }), rate: rateOf(main, service.name),
            share: all > 0 ? (rateOf(main, service.name) ?? 0) * seconds / all : 0,
            later: {
                asked: false, hot: undefined, trouble: undefined, changed: undefined, alloc: undefined, lock: undefined,
                coverage: undefined, coverageText: "", missing: "",
            },
        }));
        page.isOf(this.span);
        this.missing = [main.missing_text];
        page.partial(this.missing);
        this.draw(page);
        void this.askRates(page);
        void this.askHottest(page, type);
        void this.askTroubles(page);
    }

    // Says that a part of the answer is missing, besides what is missing already.
    private lacks(page: Page, what: string, error: unknown): void {
        this.missing.push(what + ": " + (error instanceof Error ? error.message : String(error)));
        page.partial(this.missing);
    }

    // Asks for the columns about allocation and locks, if anything measured them.
    private async askRates(page: Page): Promise<void> {
        const { rows, span: { from, to } } = this;
        const ask = async (type: string, what: string) => (rows.some(({ service: { types } }) => type in types)
            ? page.questions.ask<SeriesAnswer>("/v1/series", byService(page.state, type,
                { from: String(from), to: String(to), step: String(Math.max(1, to - from)) }))
                .catch((error: unknown) => {
                    this.lacks(page, what, error);
                    return null;
                }) : null);
        const [alloc, lock] = await Promise.all([ask(ALLOCATION, "allocation"), ask(LOCK_TIME, "waits for locks")]);
        for (const { service: { name }, later } of rows) {
            later.alloc = alloc && rateOf(alloc, name);
            later.lock = lock && rateOf(lock, name);
        }
        this.missing.push(alloc?.missing_text, lock?.missing_text);
        page.partial(this.missing);
        this.drawAnswers(page);
    }

    private async askTroubles(page: Page): Promise<void> {
        const { rows } = this;
        const troubles = await askTroubles(page, { from: String(this.span.from), to: String(this.span.to) })
            .catch((error: unknown) => {
                this.lacks(page, "collections and findings", error);
                return { of: new Map<string, Trouble>(), missing: [] };
            });
        this.missing.push(...troubles.missing);
        page.partial(this.missing);
        rows.forEach(({ service, later }) => {
            later.trouble = troubles.of.get(service.name) ?? CALM;
        });
        this.drawAnswers(page);
    }

    // Asks for the hottest own method of all services at once.
    private async askHottest(page: Page, type: string): Promise<void> {
        const { state, questions } = page;
        const { rows } = this;
        const answer = await questions.ask<TopAnswer>("/v1/top", {
            select: selector({ ...state, service: "" }), type, from: String(this.span.from), to: String(this.span.to), by: "service",
            limit: "1", against: "none",
        }).catch((error: unknown): TopAnswer => {
            this.lacks(page, "hottest methods", error);
            return { groups: [] };
        });
        for (const { service, later } of rows) {
            const [method] = answer.groups.find(({ labels }) => labels.service === service.name)?.methods ?? [];
            later.hot = method === undefined ? null
                : { name: method.name, share: method.own_share, interval: formatInterval([method.own_low, method.own_high]) };
        }
        this.drawAnswers(page);
    }

    // Draws after an answer that every row shows.
    private drawAnswers(page: Page): void {
        this.filled.clear();
        this.draw(page);
    }

    draw(page: Page): void {
        keepPlace(this.root, () => this.replace(page));
    }

    private replace(page: Page): void {
        if (this.rows.length === 0) {
            const narrowed = page.state.where.length > 0;
            this.root.replaceChildren(element("h1", {}, "Services"), emptyState("No recordings in this time",
                narrowed ? "No service has recordings with these labels in this time. Take a label away, or choose a longer time."
                    : "No service sent anything in this time. Choose a longer time, or send something:", narrowed ? "" : SEND));
            return;
        }
        const wanted = page.state.filter.toLowerCase();
        const rows = this.sorted(page.state.sort).filter(({ service }) => service.name.toLowerCase().includes(wanted));
        this.summary.replaceChildren(...this.sentence());
        this.heads.replaceChildren(...COLUMNS.map((column) => this.head(page, column)));
        const most = this.rows.reduce((top, { bins }) => bins.reduce((a, b) => Math.max(a, b), top), 0);
        this.wanted = rows;
        this.watch(page);
        this.arrange(page, most);
        this.none.hidden = rows.length > 0;
        this.against.value = againstOf(page.state);
        this.all.replaceChildren(link("The flame graph of all services together",
            page.link({ view: "service", service: "", part: "", by: "service" })));
        if (this.top.parentElement !== this.root || this.all.parentElement !== this.root) {
            this.root.replaceChildren(...this.parts); // only then: to take the choice out closes its list
        }
    }

    // Puts the rows in order: those that are in sight at once, the others as many at a time after the next pictures, because a new row
    // or a row that moves costs its layout. Rows that are where they belong stay there.
    private arrange(page: Page, most: number): void {
        const { wanted, body } = this;
        const atOnce = this.height > 0 ? 2 + Math.ceil(window.innerHeight / this.height) : ROWS_AT_ONCE;
        const focused = document.activeElement instanceof HTMLElement && body.contains(document.activeElement)
            ? document.activeElement.dataset.service : undefined;
        const kept = new Set(wanted.map((row) => this.made.get(row)));
        [...body.rows].filter((line) => !kept.has(line)).forEach((line) => line.remove());
        this.lines.clear();
        const place = (from: number, to: number): void => {
            keepPlace(body, () => wanted.slice(from, to).forEach((row, i) => {
                const line = this.lineOf(page, row, most);
                if (body.rows[from + i] !== line) {
                    body.insertBefore(line, body.rows[from + i] ?? null);
                }
                this.observer?.observe(line);
            }));
            this.afterPicture(() => to < wanted.length && place(to, to + atOnce));
        };
        // Up to the focused row at once, too: later the user may have gone elsewhere.
        place(0, Math.max(atOnce, 1 + wanted.findIndex(({ service }) => service.name === focused)));
        if (focused !== undefined && !body.contains(document.activeElement)) {
            [...body.querySelectorAll("a")].find(({ dataset }) => dataset.service === focused)?.focus();
        }
    }

    private sentence(): (Node | string)[] {
        const top = this.rows.reduce((a, b) => ((b.rate ?? 0) > (a.rate ?? 0) ? b : a));
        const all = this.rows.reduce((sum, { rate }) => sum + (rate ?? 0), 0);
        if (!(all > 0)) {
            return ["No service has samples of this kind in this time."];
        }
        return [nameOf(top.service.name), ` uses most: ${rateText(this.type, top.rate ?? 0)}, ${formatShare(top.share)} of the `
            + `${rateText(this.type, all)} of ${plural(this.rows.length, "service")} in ${lengthText(this.span)}.`];
    }

    private sorted(sort: string): Row[] {
        const word = sort.replace(/^-/, "") || "rate";
        const order = COLUMNS.find((column) => column.word === word)?.order ?? COLUMNS[2].order as (row: Row) => number;
        const sign = sort.startsWith("-") ? -1 : 1;
        const rank = ({ service }: Row) => (this.favorites.has(service.name) ? 0 : 1);
        return this.rows.slice().sort((a, b) => {
            const [x, y] = [order(a), order(b)];
            const difference = typeof x === "string" ? versions.compare(x, String(y)) : x - Number(y);
            return rank(a) - rank(b) || sign * difference || (a.service.name < b.service.name ? -1 : 1);
        });
    }

    private head(page: Page, { word, title, hint, number, order }: Column): HTMLElement {
        const label = word === "rate" ? titleOfType(this.type) : title;
        const cell = element("th", { scope: "col", className: (number ? "number " : "") + "column-" + (word || "trend"), title: hint });
        if (!order) {
            cell.append(label);
            return cell;
        }
        const { sort } = page.state;
        const present = sort.replace(/^-/, "") || "rate";
        const down = sort.startsWith("-");
        const button = element("button", { type: "button" }, label + (present === word ? (down ? " ▴" : " ▾") : ""));
        const next = present === word && !down ? "-" + word : word;
        button.addEventListener("click", () => page.change({ sort: next === "rate" ? "" : next }));
        const large = (number || word === "method") && word !== "coverage";
        cell.setAttribute("aria-sort", present !== word ? "none" : large !== down ? "descending" : "ascending");
        cell.append(button);
        return cell;
    }

    private lineOf(page: Page, row: Row, most: number): HTMLTableRowElement {
        const line = this.made.get(row) ?? this.line(page, row, most);
        this.made.set(row, line);
        this.lines.set(row, line);
        if (!this.filled.has(row)) {
            this.fill(page, row, line);
        }
        for (const one of line.querySelectorAll("a")) {
            one.href = page.link(this.targets.get(one) ?? {}); // it holds the order, too
        }
        return line;
    }

    // A link of a row.
    private to(page: Page, text: Node | string, what: Partial<State>, title: string): HTMLAnchorElement {
        const made = link(text, page.link(what), title);
        this.targets.set(made, what);
        return made;
    }

    private line(page: Page, row: Row, most: number): HTMLTableRowElement {
        const { service } = row;
        const open = this.to(page, nameOf(service.name), only(service), visibleName(service.name));
        open.dataset.service = service.name;
        const hosts = service.labels.host?.length ?? 0;
        const contents: (Node | string)[][] = [
            [this.favorites.star(service.name, () => this.draw(page)), open],
            [sparkline(row.bins, most)], [rateCell(this.type, row.rate)], [row.rate === null ? "–" : formatShare(row.share)],
            [], [], [], [], [], // see fill
            [hosts > 0 ? formatCount(hosts) + (hosts >= MOST_VALUES ? "+" : "") : "–"], versionText(service), [], [],
            [formatCount(service.recordings)],
        ];
        return element("tr", {}, ...contents.map((content, i) => {
            const cell = element("td", { className: COLUMNS[i].number ? "number" : "" }, ...content);
            cell.dataset.label = i === 2 ? titleOfType(this.type) : COLUMNS[i].title;
            cell.classList.add("column-" + (COLUMNS[i].word || "trend"));
            return cell;
        }));
    }

    // Fills the cells that are known later than the others.
    private fill(page: Page, row: Row, line: HTMLTableRowElement): void {
        const { service, later } = row;
        const { hot, trouble, changed, alloc, lock, coverage, coverageText: words, missing } = later;
        const cell = (word: string) => line.cells[COLUMNS.findIndex((column) => column.word === word)];
        const waiting = () => element("span", { className: "waiting" }, "…");
        if (hot) {
            const graph = new URLSearchParams({ query: hot.name }).toString();
            cell("method").replaceChildren(
                this.to(page, nameOf(splitName(hot.name).method), { ...only(service), graph }, visibleName(hot.name)), " ",
                element("span", { className: "quiet" }, formatShare(hot.share) + " (" + hot.interval + ")"));
        } else {
            cell("method").replaceChildren(hot === undefined ? waiting() : "–");
        }
        const text = coverage === undefined ? waiting() : element("span", { title: words },
            coverage === null ? "unknown" : formatShare(coverage));
        cell("changed").replaceChildren(...(changed === undefined ? [waiting()] : this.changeParts(page, service, changed)));
        cell("alloc").replaceChildren(alloc === undefined ? waiting() : rateCell(ALLOCATION, alloc));
        cell("lock").replaceChildren(lock === undefined ? waiting() : rateCell(LOCK_TIME, lock));
        cell("gc").replaceChildren(!trouble ? waiting() : trouble.gc === null ? "–" : formatShare(trouble.gc));
        cell("finding").replaceChildren(...(!trouble ? [waiting()] : this.findingParts(page, service, trouble)));
        cell("coverage").replaceChildren(text, ...(missing === "" ? [] : [" ", partialMark(missing)]));
        this.filled.add(row);
    }

    // Asks for the books of services that come into sight; if they are sorted by coverage, for those of all.
    private watch(page: Page): void {
        this.observer?.disconnect();
        this.observer = new IntersectionObserver((entries) => {
            this.height = Math.min(...entries.map(({ boundingClientRect: { height } }) => height));
            for (const { target, isIntersecting } of entries) {
                const row = this.wanted.find((one) => this.lines.get(one) === target);
                if (row && !row.later.asked && (isIntersecting || sortsByCoverage(page.state))) {
                    row.later.asked = true;
                    void this.askBooks(page, row).then(() => this.showBooks(page, row));
                    this.comparing = this.comparing.then(() => this.askChanged(page, row)).then(() => this.fillAgain(page, row));
                }
            }
        });
    }

    // Sorts by coverage once the last one is known.
    private showBooks(page: Page, row: Row): void {
        if (sortsByCoverage(page.state) && this.wanted.every(({ later }) => later.coverage !== undefined)) {
            this.draw(page);
        } else {
            this.fillAgain(page, row);
        }
    }

    private fillAgain(page: Page, row: Row): void {
        this.filled.delete(row); // it may not be in the table now
        const line = this.lines.get(row);
        if (line) {
            keepPlace(line, () => this.fill(page, row, line));
        }
    }

    // What surely changed in a service. The server measures differences between hosts for that, so services are asked for one by one.
    private async askChanged(page: Page, { service, later }: Row): Promise<void> {
        const against = againstOf(page.state);
        if (!canAsk(service, against)) {
            later.changed = ONE_VERSION;
            return;
        }
        later.changed = await askChanges(page, { ...questionAgainst({ ...page.state, type: this.type }, against),
            select: selector({ ...page.state, service: service.name }) }, false)
            .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    }

    private changeParts(page: Page, { name }: Service, changed: ChangesAnswer | string): (Node | string)[] {
        if (typeof changed === "string" || !canJudge(changed)) {
            const why = typeof changed === "string" ? changed : changed.reason ?? "too little data";
            return [element("span", { title: visibleName(why) }, "–")];
        }
        if (shownOf(changed).regressions.length === 0) {
            return ["none"];
        }
        const what = { view: "changes", service: name, against: againstOf(page.state) };
        const count = shownOf(changed).regressions.length;
        return [this.to(page, element("span", {}, ...largestChange(changed)), what, "All that surely changed in the service"),
            element("span", { className: "quiet" }, count > 1 ? ` and ${count - 1} more` : "")];
    }

    private findingParts(page: Page, { name }: Service, { worst, findings }: Trouble): (Node | string)[] {
        if (findings === 0) {
            return ["–"];
        }
        const what = { view: "findings", service: "", where: [...page.state.where, "service=" + quote(name)] };
        return [this.to(page, nameOf(worst), what, "All findings of the service"),
            element("span", { className: "quiet" }, findings > 1 ? ` and ${findings - 1} more` : "")];
    }

    private async askBooks(page: Page, { service, later }: Row): Promise<void> {
        const { from, to } = this.span;
        try {
            const answer = await page.questions.ask<SeriesAnswer>("/v1/series", {
                select: selector({ ...DEFAULTS, service: service.name, where: page.state.where }), type: this.type, from: String(from),
                to: String(to), step: String(Math.max(1, to - from)),
            });
            later.coverage = coverageOf(answer.books);
            later.coverageText = coverageText(answer.books);
            later.missing = answer.complete ? "" : answer.missing_text ?? "data is missing";
        } catch (error) {
            later.coverage = null;
            later.missing = error instanceof Error ? error.message : String(error);
        }
    }

    private key(event: KeyboardEvent): void {
        const links = [...this.body.querySelectorAll<HTMLAnchorElement>("td:first-child a")];
        const at = links.indexOf(document.activeElement as HTMLAnchorElement);
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (at >= 0 && step !== 0 && links[at + step]) {
            event.preventDefault();
            links[at + step].focus();
        }
    }
}
