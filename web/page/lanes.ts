// Shows the lanes: a row for each pool and each other thread, with what it did, its single events, and the spans for which it worked. A
// click on a name chooses threads; a click on an event or a span chooses its time.
import { LOOKS, drawLane } from "../draw/lanes";
import { formatCount, formatShare } from "../model/figures";
import { Row, lanesOf, rowsOf } from "../model/lanes";
import { visibleName } from "../model/names";
import { Timeline } from "../model/slices";
import { Grid, scaleOf } from "../model/timeline";
import { App } from "./app";
import { byId, element, keepPlace } from "./dom";
import { Events, Pointed } from "./events";
import { remember } from "./remember";

const MOST_LANES = 200;
const LONGEST_NAME = 200;
const NEAR = 3; // pixels
const LONGEST_WHOLE = 20; // letters that always have room
const KEPT_END = 12;

// Splits a long name, so that it is cut in the middle if there is no room: the end distinguishes threads. Prefers to split at a sign.
function halves(name: string): [string, string] {
    const letters = [...name];
    if (letters.length <= LONGEST_WHOLE) {
        return [name, ""];
    }
    const end = letters.slice(-KEPT_END).join("");
    const kept = /[^\p{L}\p{N}]([\p{L}\p{N}].{5,})$/u.exec(end)?.[1] ?? end;
    return [name.slice(0, name.length - kept.length), kept];
}

export class Lanes {
    private rows: Row[] = [];
    private strips: { button: HTMLButtonElement; canvas: HTMLCanvasElement }[] = [];
    private readonly events: Events;
    private shown: unknown[] = [];
    private drawn: unknown[] = [];
    private readonly lanes = remember((slices: Timeline, rows: Row[], grid: Grid) => lanesOf(slices, rows, grid));
    private grid: Grid | null = null; // as drawn
    private told = false; // an event is described

    constructor(private readonly app: App, private readonly redraw: () => void) {
        this.events = new Events(app, redraw);
    }

    // Makes the rows if there are others than before.
    show(slices: Timeline): void {
        const { pools, threads } = this.app.state;
        const key = [slices, pools.join(".")];
        if (!key.every((part, i) => part === this.shown[i])) {
            this.shown = key;
            const all = rowsOf(slices, pools);
            this.rows = all.slice(0, MOST_LANES);
            const total = all.reduce((sum, { weight, inside }) => sum + (inside ? 0 : weight), 0);
            keepPlace(byId("lanes"), () => this.make(slices, total));
            byId("lanes-more").hidden = all.length <= MOST_LANES;
            byId("lanes-more").textContent = "The first " + MOST_LANES + " of " + all.length + " rows";
        }
        const wanted = new Set(threads);
        this.rows.forEach((row, i) => {
            const chosen = row.threads.filter((thread) => wanted.has(thread)).length;
            const pressed = chosen === 0 ? "false" : chosen === row.threads.length ? "true" : "mixed";
            this.strips[i].button.setAttribute("aria-pressed", pressed);
        });
    }

    private make(slices: Timeline, total: number): void {
        this.strips = [];
        byId("lanes").replaceChildren(...this.rows.map((row) => {
            const name = visibleName(row.label).slice(0, LONGEST_NAME);
            const size = row.threads.length > 1 ? " (" + formatCount(row.threads.length) + ")" : "";
            const [begin, end] = halves(name);
            const share = formatShare(row.weight / total);
            const button = element("button", { type: "button", className: "thread", title: name },
                element("bdi", { dir: "ltr" }, element("span", {}, begin), element("span", {}, end + size)),
                element("span", { className: "share" }, share));
            button.setAttribute("aria-label", name + size + " " + share); // in one piece
            button.addEventListener("click", () => this.toggle(row));
            const canvas = element("canvas", { className: "lane" });
            canvas.setAttribute("aria-hidden", "true");
            canvas.addEventListener("pointermove", (event) => this.tell(slices, row, event));
            canvas.addEventListener("pointerleave", () => this.untell());
            canvas.addEventListener("click", (event) => this.under(slices, row, event)?.choose());
            this.strips.push({ button, canvas });
            return element("li", { className: row.inside ? "inside" : "" }, ...(size ? [this.opener(row)] : []), button, canvas);
        }));
    }

    // The button that shows the threads of a pool.
    private opener({ label, threads }: Row): HTMLButtonElement {
        const { pools } = this.app.state;
        const others = pools.filter((pool) => !threads.includes(pool));
        const open = others.length < pools.length;
        const button = element("button", { type: "button", className: "opener", title: open ? "Hide its threads" : "Show its threads" },
            open ? "▾" : "▸");
        button.setAttribute("aria-label", "Threads of " + visibleName(label).slice(0, LONGEST_NAME));
        button.setAttribute("aria-expanded", String(open));
        button.addEventListener("click", () =>
            this.app.change({ pools: open ? others : [...pools, threads[0]] }));
        return button;
    }

    private toggle({ threads: of }: Row): void {
        const { threads } = this.app.state;
        const [chosen, row] = [new Set(threads), new Set(of)];
        const all = of.every((thread) => chosen.has(thread));
        const rest = threads.filter((thread) => !row.has(thread));
        this.app.change({ threads: (all ? rest : [...rest, ...of]).sort((a, b) => a - b) }, true);
    }

    draw(slices: Timeline, grid: Grid): void {
        const { theme } = this.app;
        this.grid = grid;
        const lanes = this.lanes(slices, this.rows, grid);
        const spans = this.app.panels?.spans ?? null;
        const key = [lanes, theme, this.events.marks, spans, byId("lanes").clientWidth];
        if (key.every((part, i) => part === this.drawn[i])) {
            return;
        }
        this.drawn = key;
        const most = scaleOf(Float64Array.from(lanes.flatMap(({ columns }) => [...columns])));
        const seen = new Set<number>();
        lanes.forEach((lane, i) => {
            const { start, length } = this.axis(slices, grid);
            const events = this.events.within(slices, lane, start, length);
            events.forEach(({ look }) => seen.add(look));
            drawLane(this.strips[i].canvas, lane, most, { events, hasSpans: spans !== null }, theme);
        });
        this.tellColours(slices, seen);
    }

    // The span of the axis in nanoseconds.
    private axis({ startNs, bucketNs }: Timeline, { first, columns, rows, cellBuckets }: Grid): { start: number; length: number } {
        return { start: startNs + first * bucketNs, length: columns * rows * cellBuckets * bucketNs };
    }

    private tellColours(slices: Timeline, seen: Set<number>): void {
        const { events: { marks }, app: { theme } } = this;
        const items = LOOKS.flatMap(({ word, colour }, i) => {
            const swatch = element("span", { className: "swatch" });
            swatch.style.backgroundColor = colour[theme];
            return seen.has(i) || (slices.state?.includes(i) ?? false) ? [element("span", {}, swatch, word)] : [];
        });
        const part = marks && marks.count < marks.all && this.app.isOfPage
            ? ". " + formatCount(marks.count) + " of " + formatCount(marks.all) + " events are marked, the longest." : "";
        byId("lanes-text").hidden = items.length === 0;
        byId("lanes-text").replaceChildren(...items, part);
    }

    // What is under the pointer. The spans are at the bottom of a lane.
    private under(slices: Timeline, row: Row, event: MouseEvent): Pointed | null {
        const { grid } = this;
        const box = (event.target as HTMLElement).getBoundingClientRect();
        if (!grid) {
            return null;
        }
        const { start, length } = this.axis(slices, grid);
        const time = (x: number) => start + ((x - box.left) / box.width) * length;
        const onSpan = event.clientY > box.bottom - NEAR;
        return this.events.under(slices, row, time(event.clientX - NEAR), time(event.clientX + NEAR), onSpan);
    }

    private tell(slices: Timeline, row: Row, event: MouseEvent): void {
        const pointed = this.under(slices, row, event);
        (event.target as HTMLElement).style.cursor = pointed ? "pointer" : "";
        if (pointed) {
            this.told = true;
            byId("heat-text").textContent = pointed.text;
        } else {
            this.untell();
        }
    }

    private untell(): void {
        if (this.told) {
            this.told = false;
            this.redraw();
        }
    }
}
