// The bar on top of every view: views, time, labels, kind and search.
import { visibleName } from "../model/names";
import { byId, element, keepPlace } from "../page/dom";
import { Service } from "./api";
import { CPU_TIME, orderTypes, titleOfType } from "./kinds";
import { Page, View } from "./page";
import { RANGES, isOfSamples, matcherOf, portable, quote } from "./state";
import { fieldOf, secondsOf, spanText, zoneText } from "./times";

const MOST_HINTS = 500;

export class Bar {
    private readonly range = byId<HTMLSelectElement>("bar-range");
    private readonly zone = byId<HTMLSelectElement>("bar-zone");
    private readonly times = byId<HTMLDialogElement>("bar-times");
    private readonly from = byId<HTMLInputElement>("bar-from");
    private readonly to = byId<HTMLInputElement>("bar-to");
    private readonly add = byId<HTMLInputElement>("bar-add");
    private readonly type = byId<HTMLSelectElement>("bar-type");
    private readonly filter = byId<HTMLInputElement>("bar-filter");
    private now = { from: 0, to: 0 }; // the subject of the picture
    private inSight = ""; // the word of the view that the line of views shows
    private readonly known = new Map<string, Set<string>>(); // labels and their values

    constructor(private readonly page: Page, private readonly views: View[], refresh: () => void) {
        this.type.append(new Option(titleOfType(CPU_TIME), "")); // until it is known which kinds there are
        this.zone.append(new Option(zoneText("local"), "local"), new Option("UTC", "utc"));
        this.range.addEventListener("change", () => this.chooseRange());
        this.zone.addEventListener("change", () => page.change({ zone: this.zone.value }));
        this.type.addEventListener("change", () => page.change({ type: this.type.value, graph: portable(page.state.graph) }));
        byId("bar-refresh").addEventListener("click", refresh);
        byId("bar-labels-form").addEventListener("submit", (event) => {
            event.preventDefault();
            this.addMatcher();
        });
        this.add.addEventListener("change", () => this.hints().includes(this.add.value) && this.addMatcher());
        byId("bar-times-form").addEventListener("submit", (event) => this.chooseTimes(event));
        [this.from, this.to].forEach((field) => field.addEventListener("input", () => this.to.setCustomValidity("")));
        byId("bar-times-close").addEventListener("click", () => this.times.close());
        this.times.addEventListener("close", () => this.show(this.views.find(({ word }) => word === page.state.view) ?? views[0]));
        byId("bar-filter-form").addEventListener("submit", (event) => event.preventDefault());
        this.filter.addEventListener("input", () => page.change({ filter: this.filter.value }, false));
        document.addEventListener("keydown", (event) => {
            const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog[open]");
            if (event.key === "/" && !typing && !byId("bar-filter-form").hidden) {
                event.preventDefault();
                this.filter.focus();
            }
        });
    }

    // Shows the choices in the bar.
    show(view: View): void {
        const { page } = this;
        const { state } = page;
        keepPlace(byId("bar"), () => this.showViews(view));
        const absolute = state.from > 0 ? [new Option(spanText(state, state.zone), "absolute")] : [];
        this.range.replaceChildren(...absolute, ...RANGES.map(([word, title]) => new Option(title, word)),
            new Option("choose…", "choose"));
        this.range.value = state.from > 0 ? "absolute" : state.range;
        this.zone.value = state.zone;
        keepPlace(byId("bar"), () => this.showMatchers(view));
        (this.type.parentElement as HTMLElement).hidden = !view.usesKind;
        byId("bar-filter-form").hidden = view.word !== "services";
        byId("search").hidden = !view.usesViewer || byId("viewer").hidden;
        if (this.filter.value !== state.filter) {
            this.filter.value = state.filter;
        }
    }

    private showViews(view: View): void {
        const { page } = this;
        byId("bar-views").replaceChildren(...this.views.map(({ word, title }) => {
            const href = page.link({
                view: word, graph: portable(page.state.graph), finding: "", ...(word === "services" ? { part: "" } : {}) });
            const go = element("a", { href }, title);
            if (word === view.word) {
                go.setAttribute("aria-current", "page");
            }
            return go;
        }));
        if (this.inSight !== view.word) {
            this.inSight = view.word;
            this.bringPresentView();
        }
    }

    // In a narrow window the views are one line that scrolls.
    private bringPresentView(): void {
        const views = byId("bar-views");
        const present = views.querySelector<HTMLElement>("[aria-current]");
        if (present && views.scrollWidth > views.clientWidth) {
            views.scrollLeft += present.getBoundingClientRect().left - views.getBoundingClientRect().left - present.offsetWidth;
        }
    }

    // Shows choices for the services of the picture: labels and kinds.
    offer(services: Service[], span: { from: number; to: number }): void {
        this.now = span;
        this.known.clear();
        for (const { name, labels } of services) {
            for (const [label, values] of [["service", [name]] as [string, string[]], ...Object.entries(labels)]) {
                const known = this.known.get(label) ?? new Set();
                values.forEach((value) => known.add(value));
                this.known.set(label, known);
            }
        }
        byId("bar-hints").replaceChildren(...this.hints().slice(0, MOST_HINTS).map((value) => element("option", { value })));
        const { type } = this.page.state;
        const types = orderTypes([...services.flatMap((one) => Object.keys(one.types)), ...(type ? [type] : [])]);
        const first = types.includes(CPU_TIME) || types.length === 0 ? CPU_TIME : types[0];
        this.type.replaceChildren(...[first, ...types.filter((one) => one !== first)].map((one) =>
            new Option(titleOfType(one), one === first ? "" : one)));
        this.type.value = type === first ? "" : type;
    }

    private hints(): string[] {
        return [...this.known].flatMap(([label, values]) => [...values].map((value) => label + "=" + quote(value)));
    }

    private showMatchers(view: View): void {
        const { page } = this;
        const { where, service } = page.state;
        const chip = (text: string, without: () => void) => {
            const button = element("button", { type: "button", title: "Remove" },
                element("bdi", { dir: "ltr" }, visibleName(text).slice(0, 200)), element("span", { ariaHidden: "true" }, " ×"));
            button.addEventListener("click", without);
            return element("li", {}, button);
        };
        const idle = (text: string) => !view.usesSamples && isOfSamples(text);
        const ofService = service !== "" && view.usesViewer
            ? [chip("service=" + quote(service), () => page.change({ service: "" }))] : [];
        byId("bar-matchers").replaceChildren(...ofService, ...where.map((text, i) => {
            const made = chip(text, () => page.change({ where: where.filter((_, at) => at !== i) }));
            made.classList.toggle("idle", idle(text));
            made.title = idle(text) ? "Not used in this view: it is a label of samples, and this view is about recordings" : "";
            return made;
        }));
    }

    private addMatcher(): void {
        const matcher = matcherOf(this.add.value);
        const { where } = this.page.state;
        this.add.value = "";
        if (matcher !== "" && !where.includes(matcher)) {
            this.page.change({ where: [...where, matcher] });
        }
    }

    private chooseRange(): void {
        const { value } = this.range;
        if (value !== "choose") {
            this.page.change({ range: value, from: 0, to: 0, part: "", other: "", cell: "" });
            return;
        }
        const { zone } = this.page.state;
        this.from.value = fieldOf(this.now.from, zone);
        this.to.value = fieldOf(this.now.to, zone);
        byId("bar-times-zone").textContent = "Times are in " + zoneText(zone) + ".";
        this.to.setCustomValidity("");
        this.times.showModal();
    }

    private chooseTimes(event: Event): void {
        event.preventDefault();
        const { zone } = this.page.state;
        const [from, to] = [secondsOf(this.from.value, zone), secondsOf(this.to.value, zone)];
        this.to.setCustomValidity(from > 0 && to > from ? "" : "The end must be after the beginning");
        if (this.to.reportValidity()) {
            this.times.close();
            this.page.change({ from, to, part: "", other: "", cell: "" });
        }
    }
}
