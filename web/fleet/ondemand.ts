// Recordings on demand: a form that asks for one more recording of some JVMs of a service, and the state of such requests.
import { formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element } from "../page/dom";
import { Service } from "./api";
import { Page } from "./page";
import { link, nameOf, refusal } from "./parts";
import { quote } from "./state";
import { tableOf } from "./table";
import { timeText } from "./times";

interface Task {
    host: string;
    service: string;
    state: string;
    reason: string | null;
}

interface Request {
    id: number;
    state: string;
    select: string;
    events: string;
    seconds: number;
    by: string;
    created: number;
    recordings: string;
    tasks: Task[];
}

const EVENTS: [string, string][] = [
    ["cpu", "CPU time"], ["wall", "Wall clock"], ["alloc", "Allocation"], ["lock", "Locks"], ["halt", "Pauses"], ["live", "Live heap"],
    ["cpu,wall,alloc,lock,halt", "all but the live heap"],
];
const DURATIONS: [string, string][] = [["30s", "30 seconds"], ["2m", "2 minutes"], ["10m", "10 minutes"]];
const SHOWN = 20;
const TICK = 3000; // ms between two looks at requests that are not over

export class OnDemand {
    readonly root = element("section", { className: "on-demand" });
    private readonly service = element("select", {});
    private readonly events = element("select", {});
    private readonly duration = element("select", {});
    private readonly jvms = element("input", { type: "number", min: "1", max: "100", value: "1", required: true });
    private readonly said = element("output", { className: "tested" });
    private readonly list = element("div", {});
    private readonly send = element("button", {}, "Record");
    private timer = 0;

    constructor() {
        this.events.append(...EVENTS.map(([word, title]) => new Option(title, word)));
        this.duration.append(...DURATIONS.map(([word, title]) => new Option(title, word)));
        this.duration.value = "2m";
        const form = element("form", { className: "row" }, element("label", {}, "Record ", this.events),
            element("label", {}, "of ", this.service), element("label", {}, "for ", this.duration),
            element("label", {}, "in up to ", this.jvms, " JVMs"), this.send, this.said);
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            void this.ask();
        });
        const about = "One more recording beside the one that always runs. The daemons of the hosts ask for such work every few seconds, "
            + "and may refuse.";
        this.root.append(element("h2", {}, "Record now"), element("p", { className: "aside" }, about), form, this.list);
    }

    private page: Page | null = null;

    show(page: Page, services: Service[]): void {
        this.page = page;
        const chosen = this.service.value || page.state.service;
        this.service.replaceChildren(...services.map(({ name }) => new Option(visibleName(name).slice(0, 80), name)));
        this.service.value = services.some(({ name }) => name === chosen) ? chosen : services[0]?.name ?? "";
        this.send.disabled = services.length === 0;
        void this.look();
    }

    private async ask(): Promise<void> {
        const { page } = this;
        if (!page) {
            return;
        }
        this.said.textContent = "Asking…";
        this.send.disabled = true;
        try {
            const { id } = await page.questions.post<{ id: number }>("/v1/profiles", {
                select: "service=" + quote(this.service.value), events: this.events.value, duration: this.duration.value,
                jvms: Number(this.jvms.value),
            });
            this.said.textContent = `Request ${id} is on its way.`;
        } catch (error) {
            this.said.textContent = refusal(error, "the scope profile");
        }
        this.send.disabled = false;
        void this.look();
    }

    // Shows the requests, and looks again while one of them is not over and the view is in sight.
    private async look(): Promise<void> {
        const { page } = this;
        clearTimeout(this.timer);
        if (!page) {
            return;
        }
        let profiles: Request[] = [];
        try {
            ({ profiles } = await page.questions.ask<{ profiles: Request[] }>("/v1/profiles", {}));
        } catch (error) {
            this.list.replaceChildren(element("p", { className: "wrong" }, refusal(error, "the scope read")));
            return;
        }
        const rest = profiles.length - SHOWN;
        this.list.replaceChildren(...(profiles.length === 0 ? [] : [requestTable(page, profiles.slice(0, SHOWN))]),
            ...(rest > 0 ? [element("p", { className: "aside" }, plural(rest, "earlier request") + ".")] : []));
        if (profiles.some(({ state }) => state === "waiting" || state === "running") && this.root.offsetParent !== null) {
            this.timer = window.setTimeout(() => void this.look(), TICK);
        }
    }
}

function requestTable(page: Page, profiles: Request[]): HTMLElement {
    return tableOf("Recordings on demand", [
        { title: "Request", kind: "number", cell: ({ id }: Request) => String(id) },
        {
            title: "State", kind: "text",
            cell: ({ state, tasks }) => [state, " ", element("span", { className: "quiet" }, tasksText(tasks))],
        },
        { title: "Of", kind: "method", cell: ({ select }) => [nameOf(select)] },
        { title: "What", kind: "text", cell: ({ events, seconds }) => `${events}, ${formatValue(seconds * 1e9, "ns")}` },
        { title: "Asked", kind: "text", cell: ({ created }) => timeText(created, page.state.zone) },
        { title: "By", kind: "text", cell: ({ by }) => [nameOf(by || "–")] },
        {
            title: "Recordings", kind: "text",
            cell: ({ id, tasks }) => (tasks.some(({ state }) => state === "done" || state === "cut")
                ? [link("show", page.link({ view: "recordings", service: "", where: ["on_demand=" + quote(String(id))] }))] : ["–"]),
        },
    ], profiles, ({ id }, line) => { line.dataset.request = String(id); });
}

// Says what became of the request in the JVMs: the reasons of those that refused or failed, otherwise where it runs.
function tasksText(tasks: Task[]): string {
    const reasons = tasks.filter(({ reason }) => reason).map(({ host, state, reason }) => `${host} ${state}: ${reason ?? ""}`);
    const hosts = tasks.map(({ host }) => host);
    return visibleName(reasons.length > 0 ? reasons.join("; ") : tasks.length === 0 ? "no JVM yet"
        : `${plural(tasks.length, "JVM")} on ${hosts.slice(0, 5).join(", ")}`).slice(0, 300);
}
