// Health: which hosts and JVMs send recordings, when each last sent one, what the profiler costs and misses there, and what the server
// keeps on its disk and fetches from programs.
import { formatCount, formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element, keepPlace } from "../page/dom";
import { Books, MetricsAnswer, Parameters, SeriesAnswer } from "./api";
import { coveragePill } from "./coverage";
import { Jvm, Jvms, askJvms, labelsText } from "./jvms";
import { rateText, CPU_TIME } from "./kinds";
import { OnDemand } from "./ondemand";
import { Page, View } from "./page";
import { emptyState, link, nameOf, skeleton, versions } from "./parts";
import { Pulled, pulledParts } from "./pulled";
import { quote, recordingSelector, secondsIn, timesOf } from "./state";
import { Column, tableOf } from "./table";
import { timelineOf } from "./timeline";
import { lengthText, timeText } from "./times";
import { TokensAnswer, askTokens, tokenParts } from "./tokens";
import { Daemons, askDaemons, unrecordedParts, unrecordedText } from "./unrecorded";

const METRICS = ["cpu", "own_cost_share", "unseen_share", "lost_share", "failed_share", "truncated_share"];
const SILENT = 600; // seconds without a recording after which a JVM is said to be silent
const MOST_HOSTS = 200;
const MOST_JVMS = 200;
const MOST_AGENTS = 4; // versions that a cell shows
const NO_HOST = "(no host)";

interface Host {
    name: string;
    jvms: Jvm[];
    last: number;
    figures: Map<string, number> | null; // by metric; null = not known yet
}

interface Stored {
    name: string;
    recordings: number;
    recording_bytes: number;
    segment_bytes: number;
    dictionary_bytes: number;
    rollup_bytes: number;
    oldest?: number; // the first day, in seconds since the epoch
}

interface Storage {
    limits: Record<string, number>;
    deleted?: Record<string, { days: number; recordings: number; recording_bytes: number }>; // missing for a token of some services
    services: Stored[];
}

export class Health implements View {
    readonly word = "health";
    readonly title = "Health";
    readonly usesViewer = false;
    readonly usesSamples = false;
    readonly usesKind = false;
    readonly root = element("main", { className: "health" });
    private readonly pill = element("span", {});
    private readonly sentence = element("p", { className: "sentence" });
    private readonly content = element("div", {});
    private readonly demand = new OnDemand();
    private jvms: Jvms = { list: [], recordings: 0, cut: false };
    private hosts: Host[] = [];
    private storage: Storage | null = null;
    private pulled: Pulled[] = [];
    private until = 0;
    private newest = ""; // version of an agent
    private tokens: TokensAnswer | string = "";
    private daemons: Daemons = { daemons: [], unheard: 0 };
    private readonly recorded = element("div", {}); // before the form of recordings on demand
    private readonly kept = element("div", {}); // after it

    constructor() {
        this.root.append(element("div", { className: "row" }, element("h1", {}, "Health"), this.pill), this.sentence, this.content);
        this.content.append(skeleton(6));
    }

    async load(page: Page): Promise<void> {
        const { state, questions } = page;
        const all = { ...state, service: "" };
        const asked = { ...timesOf(state), select: recordingSelector(all) };
        this.jvms = await askJvms(page, all);
        const series = await questions.ask<SeriesAnswer>("/v1/series", { ...asked, type: CPU_TIME, step: String(secondsIn(state)) });
        this.storage = await questions.ask<Storage>("/v1/storage", {});
        this.pulled = (await questions.ask<{ targets: Pulled[] }>("/v1/pull", {})).targets;
        this.daemons = await askDaemons(page);
        this.until = series.to;
        this.hosts = hostsOf(this.jvms.list, null);
        this.newest = agentsOf(this.jvms.list).pop() ?? "";
        page.isOf({ from: series.from, to: series.to });
        const missing = [series.missing_text, this.jvms.cut ? `only the latest ${formatCount(this.jvms.recordings)} recordings were looked `
            + "at for hosts and JVMs" : ""];
        page.partial(missing);
        this.showPill(series.books);
        this.draw(page);
        this.demand.show(page, page.services);
        void askTokens(page).then((answer) => {
            this.tokens = answer;
            this.draw(page);
        });
        void this.loadFigures(page, asked).catch((error: unknown) => {
            this.hosts = hostsOf(this.jvms.list, []);
            page.partial([...missing, "figures of hosts: " + String(error)]);
            this.draw(page);
        });
    }

    // Key metrics of many hosts take the server a second. The list of hosts need not wait for them.
    private async loadFigures(page: Page, asked: Parameters): Promise<void> {
        const { metrics } = await page.questions.ask<MetricsAnswer>("/v1/metrics",
            { ...asked, metric: METRICS.join(","), by: "host", step: "all" });
        this.hosts = hostsOf(this.jvms.list, metrics);
        this.draw(page);
    }

    private showPill(books: Books | null): void {
        this.pill.replaceChildren(coveragePill(books, "ns"));
    }

    draw(page: Page): void {
        const { hosts, jvms: { list, cut } } = this;
        const silent = list.filter((jvm) => this.isSilent(jvm)).length;
        this.sentence.textContent = list.length === 0 ? "No JVM sent anything in this time."
            : `${cut ? "At least " : ""}${plural(list.length, "JVM")} on ${plural(hosts.length, "host")} sent recordings`
            + (silent === 0 ? ", and none of them has fallen silent." : `; ${silent} ${silent === 1 ? "has" : "have"} been silent for more `
            + `than ${SILENT / 60} minutes.`);
        this.sentence.append(unrecordedText(this.daemons));
        keepPlace(this.content, () => {
            this.recorded.replaceChildren(...this.hostParts(page));
            this.kept.replaceChildren(...this.serverParts(page));
            if (!this.content.contains(this.demand.root)) {
                this.content.replaceChildren(this.recorded, this.demand.root, this.kept); // once: later, it would close an open list
            }
        });
    }

    private isSilent({ last }: { last: number }): boolean {
        return this.until - last > SILENT;
    }

    private hostParts(page: Page): HTMLElement[] {
        const { jvms: { list }, hosts } = this;
        const more = hosts.length > MOST_HOSTS ? [element("p", { className: "aside" },
            hosts.some(({ figures }) => figures?.has("cpu")) ? `The ${MOST_HOSTS} of ${formatCount(hosts.length)} that use most CPU.`
                : `The first ${MOST_HOSTS} of ${formatCount(hosts.length)}, by name.`)] : [];
        const some = list.length > 0 ? [element("h2", {}, "Hosts"), tableOf("Hosts", this.hostColumns(page), hosts.slice(0, MOST_HOSTS)),
            ...more,
            element("h2", {}, "JVMs that are recorded"), ...this.jvmTable(page, list)]
            : [emptyState("No recordings in this time", "Choose a longer time, or start the daemon on a host:",
                "candor daemon --server " + location.origin)];
        return [...some, ...unrecordedParts(page, this.daemons)];
    }

    private serverParts(page: Page): HTMLElement[] {
        return [element("h2", {}, "Storage"), ...this.storageParts(page), ...pulledParts(page, this.pulled),
            element("h2", {}, "Who may do what"), ...tokenParts(page, this.tokens)];
    }

    private lastSeen(page: Page, last: number): (Node | string)[] {
        const silent = this.isSilent({ last }) ? [" ", element("span", { className: "partial" }, "silent")] : [];
        return [timeText(last, page.state.zone), ...silent];
    }

    // The versions of the agents; marked if other JVMs have a newer one.
    private agents(jvms: Jvm[]): (Node | string)[] {
        const known = agentsOf(jvms);
        const text = known.slice(-MOST_AGENTS).join(", ") || "–";
        return known.some((version) => version !== this.newest) ? [text, " ", element("span", { className: "partial" }, "older")] : [text];
    }

    // How soon recordings arrive: a host's clock that is ahead shows for sure, one that is behind as a delay.
    private arrival(jvms: Jvm[]): (Node | string)[] {
        const soonest = Math.min(...jvms.map((jvm) => jvm.soonest));
        return [soonest >= 0 ? "after " + lengthText({ from: 0, to: soonest })
            : element("span", { className: "partial" }, `clock ${lengthText({ from: soonest, to: 0 })} ahead or more`)];
    }

    private hostColumns(page: Page): Column<Host>[] {
        const share = (name: string, title: string, hint: string): Column<Host> => ({
            title, hint, kind: "number",
            cell: ({ figures }) => {
                const value = figures?.get(name);
                return figures === null ? waiting() : value === undefined ? "–" : formatShare(value);
            },
        });
        const versionsOf = (jvms: Jvm[]) => [...new Set(jvms.flatMap(({ labels: { version } }) => version ?? []))].sort();
        return [
            {
                title: "Host", kind: "name", cell: ({ name }) => (name === "" ? NO_HOST
                    : [link(nameOf(name), page.link({ view: "services", where: ["host=" + quote(name)] }), visibleName(name))]),
            },
            { title: "JVMs", kind: "number", cell: ({ jvms }) => formatCount(jvms.length) },
            {
                title: "Services", kind: "method", cell: ({ jvms }) =>
                    [nameOf([...new Set(jvms.map(({ service }) => service))].sort().slice(0, 8).join(", "))],
            },
            { title: "Versions", kind: "text", cell: ({ jvms }) => [nameOf(versionsOf(jvms).slice(0, 8).join(", ") || "–")] },
            {
                title: "Agent", kind: "text", cell: ({ jvms }) => this.agents(jvms),
                hint: "the version of Candor in the JVMs. One that was loaded stays until its JVM ends",
            },
            { title: "Last recording", kind: "text", cell: ({ last }) => this.lastSeen(page, last) },
            {
                title: "Arrives", kind: "text", cell: ({ jvms }) => this.arrival(jvms),
                hint: "the shortest time from the end of a recording, by the host's clock, to its arrival here; a clock that is behind "
                    + "makes it longer",
            },
            {
                title: "CPU", kind: "number", cell: ({ figures }) => {
                    const cores = figures?.get("cpu");
                    return figures === null ? waiting() : cores === undefined ? "–" : rateText(CPU_TIME, cores * 1e9);
                },
            },
            share("own_cost_share", "Own cost", "CPU time that the profiler used, of that of its JVMs"),
            share("unseen_share", "Not visible", "CPU time that no clock could show"),
            share("lost_share", "Lost", "CPU time of samples that were due and never came"),
            share("failed_share", "Without a stack", "CPU time of samples whose stack could not be walked"),
            share("truncated_share", "Cut stacks", "CPU time of samples whose stack is not whole"),
        ];
    }

    private jvmTable(page: Page, list: Jvm[]): HTMLElement[] {
        const rows = list.slice().sort((a, b) => a.last - b.last).slice(0, MOST_JVMS);
        const more = list.length > rows.length ? [element("p", { className: "aside" },
            `The ${MOST_JVMS} of ${formatCount(list.length)} that have been silent longest.`)] : [];
        return [tableOf("JVMs", [
            {
                title: "JVM", kind: "method",
                cell: ({ service, labels }) => [link(nameOf(labelsText(labels)), page.link(timelineOf(page.state, service, labels)),
                    "Its timeline")],
            },
            { title: "Service", kind: "name", cell: ({ service }) => [nameOf(service)] },
            { title: "Agent", kind: "text", cell: (jvm) => this.agents([jvm]) },
            { title: "Recordings", kind: "number", cell: ({ recordings }) => formatCount(recordings) },
            { title: "Bytes", kind: "number", cell: ({ bytes }) => formatValue(bytes, "bytes") },
            { title: "First", kind: "text", cell: ({ first }) => timeText(first, page.state.zone) },
            { title: "Last", kind: "text", cell: ({ last }) => this.lastSeen(page, last) },
        ], rows, (row, line) => { line.dataset.service = row.service; }), ...more];
    }

    private storageParts(page: Page): HTMLElement[] {
        const { storage } = this;
        if (!storage) {
            return [];
        }
        const { limits, deleted, services } = storage;
        const size = (title: string, hint: string, of: (one: Stored) => number): Column<Stored> =>
            ({ title, hint, kind: "number", cell: (one) => formatValue(of(one), "bytes") });
        const bytes = services.reduce((sum, one) =>
            sum + one.recording_bytes + one.segment_bytes + one.dictionary_bytes + one.rollup_bytes, 0);
        const gone = Object.entries(deleted ?? {}).filter(([, one]) => one.days + one.recordings > 0).map(([reason, one]) =>
            `${reason.replace(/_/g, " ")}: ${plural(one.days, "day")} of samples and ${plural(one.recordings, "recording")} `
            + `(${formatValue(one.recording_bytes, "bytes")})`);
        const text = `${formatValue(bytes, "bytes")} in use. ` + limitsText(limits)
            + (deleted === undefined ? "" : gone.length === 0 ? " Nothing was deleted since the server's start."
                : " Deleted since the server's start: " + gone.join("; ") + ".");
        return [element("p", { className: "aside" }, text), tableOf("Storage by service", [
            {
                title: "Service", kind: "name",
                cell: ({ name }) => [link(nameOf(name), page.link({ view: "recordings", service: name }), visibleName(name))],
            },
            { title: "Recordings", kind: "number", cell: ({ recordings }) => formatCount(recordings) },
            size("Recordings, bytes", "as they were sent", ({ recording_bytes: bytes }) => bytes),
            size("Samples", "what queries read", ({ segment_bytes: bytes }) => bytes),
            size("Names", "of methods, lines and stacks", ({ dictionary_bytes: bytes }) => bytes),
            size("Sums", "of samples by hour and by day", ({ rollup_bytes: bytes }) => bytes),
            {
                title: "Oldest day", kind: "text",
                cell: ({ oldest }) => (oldest === undefined ? "–" : timeText(oldest, "utc").slice(0, 10)),
            },
        ], services)];
    }
}

// The versions of the agents of these JVMs, the newest last.
const agentsOf = (jvms: Jvm[]) => [...new Set(jvms.map(({ agent }) => agent))].filter((agent) => agent !== "").sort(versions.compare);

const waiting = (): Node[] => [element("span", { className: "waiting" }, "…")];

// metrics: null = not known yet.
function hostsOf(list: Jvm[], metrics: MetricsAnswer["metrics"] | null): Host[] {
    const known = new Map<string, Host>();
    for (const jvm of list) {
        const name = jvm.labels.host ?? "";
        const host = known.get(name) ?? { name, jvms: [], last: 0, figures: metrics ? new Map<string, number>() : null };
        host.jvms.push(jvm);
        host.last = Math.max(host.last, jvm.last);
        known.set(name, host);
    }
    metrics?.forEach(({ name, series }) => series.forEach(({ value, points: [point] }) => {
        if (point) {
            known.get(value)?.figures?.set(name, point[1]);
        }
    }));
    const cpu = ({ figures }: Host) => figures?.get("cpu") ?? -1;
    return [...known.values()].sort((a, b) => cpu(b) - cpu(a) || (a.name < b.name ? -1 : 1));
}

const YEARS = 10 * 365 * 86_400; // a longer time is shown as "for ever"

function limitsText(limits: Record<string, number>): string {
    const time = (seconds: number) => (seconds > YEARS ? "for ever" : "for " + lengthText({ from: 0, to: seconds }));
    const sizes: [string, string][] = [
        ["max_disk", "all together"], ["max_recordings", "recordings"], ["max_disk_per_service", "each service"],
    ];
    const bounds = sizes.filter(([key]) => limits[key] !== undefined)
        .map(([key, what]) => `${what} up to ${formatValue(limits[key], "bytes")}`);
    const sums = limits.retain_hours
        ? `, sums of samples by hour ${time(limits.retain_hours)}, by day ${time(limits.retain_days ?? 0)}` : "";
    return `Samples are kept ${time(limits.retain ?? 0)}${sums}, recordings ${time(limits.retain_recordings ?? 0)}`
        + (bounds.length > 0 ? ", " + bounds.join(", ") : "") + ".";
}
