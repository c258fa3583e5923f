// Starts the server's page: keeps the choices and the address together, and shows the view that the address names.
import { byId } from "../page/dom";
import { AnswerError, FORBIDDEN, Questions, Service, Services, UNAUTHORIZED } from "./api";
import { Bar } from "./bar";
import { Incomplete } from "./incomplete";
import { Keys } from "./keys";
import { askNamings } from "./namings";
import { LIGHT, Page, View } from "./page";
import { DEFAULTS, Span, State, portable, presentSpan, readState, recordingSelector, timesOf, writeState } from "./state";
import { timeText, zoneText } from "./times";
import { makeViews } from "./views";
import { Embedded } from "./viewer";

class Main implements Page {
    state: State = readState(location.hash);
    private readonly incomplete = new Incomplete();
    private readonly note = (answer: unknown): void => this.incomplete.note(answer);
    questions = new Questions(this.note);
    services: Service[] = [];
    readonly viewer: Embedded;
    private readonly views: View[] = makeViews();
    private readonly bar: Bar;
    span: Span = { from: 0, to: 0 };
    private loaded = ""; // the choices that the last complete picture is of, as text
    private asked = ""; // those of the last question: they differ from `loaded` while it runs, and after it has failed
    private loadedAt = 0;
    private turn = 0;

    constructor() {
        this.viewer = new Embedded(() => "#" + this.state.graph, (text, remembered) => this.changeGraph(text, remembered));
        this.bar = new Bar(this, this.views, () => void this.load());
        new Keys(this, this.views, () => void this.load());
        byId("view").append(...this.views.map(({ root }) => root));
        byId("bar-search").append(byId("search"));
        window.addEventListener("hashchange", () => {
            this.state = readState(location.hash);
            this.show();
        });
        const dark = matchMedia("(prefers-color-scheme: dark)");
        const paint = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; };
        dark.addEventListener("change", paint);
        paint();
        this.show();
    }

    private get view(): View {
        return this.views.find(({ word }) => word === this.state.view) ?? this.views[0];
    }

    link(what: Partial<State>): string {
        return writeState({ ...this.state, ...what });
    }

    change(what: Partial<State>, remembered = true): void {
        const before = this.state;
        const pins = Boolean(what.part || what.other || what.cell) && before.from === 0 && this.span.from > 0;
        const next = { ...before, ...(pins ? this.span : {}), ...what };
        // Numbers of frames mean nothing in other data.
        this.state = "graph" in what || dataOf(next) === dataOf(before) ? next : { ...next, graph: portable(next.graph) };
        this.write(remembered);
        this.show();
    }

    // The viewer's choices have changed. If they mean something for this data only, the time is no longer relative.
    private changeGraph(graph: string, remembered: boolean): void {
        // Numbers of frames are worth keeping only if the address names the picture in sight.
        const current = this.asked === this.loaded && !byId("view").hasAttribute("aria-busy");
        const kept = current ? graph : portable(graph);
        const pins = portable(kept) !== kept && this.state.from === 0;
        this.state = { ...this.state, graph: kept, ...(pins ? this.span : {}) };
        this.write(remembered);
        if (pins) {
            this.loaded = this.asked = dataOf(this.state);
        }
        this.bar.show(this.view);
        if (current) {
            this.view.draw(this); // its links hold the viewer's choices, too
        }
    }

    private write(remembered: boolean): void {
        const address = writeState(this.state);
        if (address !== (location.hash || "#")) {
            history[remembered ? "pushState" : "replaceState"](null, "", address);
        }
    }

    isOf(span: Span): void {
        this.span = span;
    }

    partial(texts: (string | undefined)[]): void {
        const all = [...new Set(texts.filter((text) => text))];
        this.incomplete.say(all as string[]);
    }

    private show(): void {
        const { view } = this;
        this.bar.show(view);
        this.views.forEach(({ root, word }) => { root.hidden = word !== view.word; });
        document.title = (this.state.service && view.usesViewer ? this.state.service + " · " : "") + view.title + " · Candor";
        const data = dataOf(this.state);
        if (data !== this.asked) {
            void this.load();
            return;
        }
        if (data !== this.loaded) {
            return; // the answer is on its way, or there was none: the visible picture belongs to other choices
        }
        view.draw(this);
        this.incomplete.showCoarse(this.state.zone);
        this.showAge();
        if (view.usesViewer) {
            this.viewer.follow();
        }
    }

    // Requests the data for the choices from the server, and shows it. An earlier request that is still running is abandoned.
    private async load(): Promise<void> {
        const { view } = this;
        const wanted = dataOf(this.state);
        const turn = ++this.turn;
        this.asked = wanted;
        byId("view").hidden = false;
        this.questions.end();
        this.questions = new Questions(this.note);
        this.incomplete.begin();
        document.body.classList.add("loading");
        byId("view").setAttribute("aria-busy", "true");
        const otherView = !this.loaded.startsWith(view.word + " ");
        if (otherView) {
            this.viewer.hide();
        }
        this.viewer.unmark();
        this.span = presentSpan(this.state);
        try {
            const select = recordingSelector({ ...this.state, service: "" });
            const asked = this.questions.ask<Services>("/v1/services", { ...timesOf(this.state), select });
            view.expect?.(this);
            const list = await asked;
            this.services = list.services;
            await view.load(this);
            if (turn !== this.turn) {
                return;
            }
            if (list.missing_text && byId("partial").hidden) {
                this.partial([list.missing_text]);
            }
            this.incomplete.show();
            this.incomplete.showCoarse(this.state.zone);
            this.bar.offer(this.services, this.span);
            if (view.usesViewer) {
                void this.markFindings(turn);
            }
            this.loaded = wanted;
            this.loadedAt = Date.now();
            this.showAge();
            byId("problem").hidden = true;
        } catch (error) {
            if (turn !== this.turn) {
                return;
            }
            byId("view").hidden = otherView; // a skeleton would say that the data is on its way
            const since = otherView ? "" : this.ageOf(wanted);
            byId("problem").textContent = problemText(error) + since;
            byId("problem").hidden = false;
        }
        document.body.classList.remove("loading");
        byId("view").removeAttribute("aria-busy");
        document.documentElement.dataset.ready = String(turn);
    }

    // Marks the frames that findings of the service name. The picture need not wait for them.
    private async markFindings(turn: number): Promise<void> {
        const namings = await askNamings(this).catch(() => []); // the view of findings says why there are none
        if (turn === this.turn) {
            this.viewer.mark(namings);
        }
    }

    private showAge(): void {
        byId("bar-loaded").textContent = "as of " + timeText(this.loadedAt / 1000, this.state.zone);
    }

    // Says when the picture that stays in sight was loaded, after a question about the wanted choices has failed.
    private ageOf(wanted: string): string {
        const { zone } = this.state;
        const words = wanted === this.loaded ? "" : "still that of the choices before, and ";
        return ` The picture is ${words}from ${timeText(this.loadedAt / 1000, zone)} (${zoneText(zone)}).`;
    }
}

function problemText(error: unknown): string {
    if (error instanceof AnswerError && error.status === UNAUTHORIZED) {
        return "You are signed out: the server wants a token with the scope read. Load this page again and give the token as the password.";
    }
    if (error instanceof AnswerError && error.status === FORBIDDEN) {
        return "Not permitted: " + error.message + ". Sign in with a token that may, or choose another view.";
    }
    return error instanceof Error ? error.message : String(error);
}

// The choices that determine the request, as text.
function dataOf(state: State): string {
    const light = Object.fromEntries(LIGHT.map((key) => [key, DEFAULTS[key]]));
    return state.view + " " + writeState({ ...state, ...light });
}

new Main();
