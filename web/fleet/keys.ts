// The keys of the page, the sheet that lists them, and the button that copies a link to the picture.
import { byId, element } from "../page/dom";
import { Page, View } from "./page";
import { DEFAULTS, portable, writeState } from "./state";

const LONG = 4000; // milliseconds for which the copy button shows that it has copied

// A key, and its effect. The keys of the views are the numbers of their places in the bar.
const KEYS: [string, string][] = [
    ["?", "this sheet"], ["1 to 9, 0, - , =, h", "the views, in the order of the bar"], ["/", "search: a service, or frames of the graph"],
    ["[ and ]", "the same length of time, earlier or later"], ["r", "ask the server again"], ["y", "copy a link to this picture"],
    ["Tab, Enter", "to everything that can be clicked, and click it"],
    ["On a chart", "arrows move, Shift marks a part of the time, Enter chooses it, Escape takes the choice back"],
    ["Arrow up, down", "in the list of services: the one before or after"],
    ["Alt+Left, Alt+Right", "the picture before, and after, as the browser has it"],
];
const OF_VIEWS = "1234567890-=h";

export class Keys {
    private readonly sheet = byId<HTMLDialogElement>("bar-keys");
    private readonly copyButton = byId<HTMLButtonElement>("bar-copy");

    constructor(private readonly page: Page, private readonly views: View[], private readonly refresh: () => void) {
        byId("bar-keys-body").replaceChildren(...KEYS.map(([key, what]) =>
            element("tr", {}, element("th", { scope: "row" }, key), element("td", {}, what))));
        byId("bar-keys-open").addEventListener("click", () => this.open());
        byId("bar-keys-graph").addEventListener("click", () => {
            this.sheet.close();
            byId<HTMLDialogElement>("help").showModal();
            byId("help-heading").focus();
        });
        this.copyButton.addEventListener("click", () => void this.copy());
        // Before the viewer's own listener, which has a sheet for its keys only.
        document.addEventListener("keydown", (event) => this.key(event), true);
    }

    private open(): void {
        byId("bar-keys-graph").hidden = byId("viewer").hidden;
        this.sheet.showModal();
        byId("bar-keys-heading").focus();
    }

    private key(event: KeyboardEvent): void {
        const { target } = event;
        const busy = event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")
            || (target instanceof Element && target.closest("input, select, textarea"));
        const inGraph = target instanceof Element && target.closest("canvas");
        const work = busy ? undefined : event.key === "?" ? () => this.open() : inGraph ? undefined : this.workOf(event.key);
        if (work) {
            event.preventDefault();
            event.stopPropagation();
            work();
        }
    }

    private workOf(key: string): (() => void) | undefined {
        const view = key.length === 1 ? this.views[OF_VIEWS.indexOf(key)] : undefined;
        if (view) {
            return () => this.page.change({ view: view.word, graph: portable(this.page.state.graph), finding: "" });
        }
        const keys: Record<string, () => void> = {
            "[": () => this.shift(-1), "]": () => this.shift(1), r: () => this.refresh(), y: () => void this.copy(),
        };
        return Object.hasOwn(keys, key) ? keys[key] : undefined;
    }

    // Chooses the time before or after this one, of the same length.
    private shift(sign: number): void {
        const { from, to } = this.page.span;
        if (to > from) {
            this.page.change({ from: from + sign * (to - from), to: to + sign * (to - from), part: "", other: "", cell: "" });
        }
    }

    // Copies the address. A relative time becomes the present one, so that the link shows everybody the same picture.
    private async copy(): Promise<void> {
        const { state, span } = this.page;
        const pinned = state.from > 0 || span.to <= span.from ? state : { ...state, ...span, range: DEFAULTS.range };
        const address = location.href.replace(/#.*$/, "") + writeState(pinned);
        let said = "Link copied";
        try {
            await navigator.clipboard.writeText(address);
        } catch {
            history.replaceState(null, "", writeState(pinned));
            said = "Copy it from the address bar";
        }
        this.copyButton.textContent = said;
        setTimeout(() => { this.copyButton.textContent = "Copy link"; }, LONG);
    }
}
