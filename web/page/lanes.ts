// Shows the lanes: a row for each pool and each other thread, with what it did and its single events. A click on a name chooses threads; a
// click on an event chooses its time.
import { Event, LOOKS, drawLane, lookOfKind } from "../draw/lanes";
import { clockOf } from "../model/clock";
import { formatCount, formatShare, formatValue } from "../model/figures";
import { Row, lanesOf, rowsOf } from "../model/lanes";
import { Marks, byThread, readMarks } from "../model/marks";
import { visibleName } from "../model/names";
import { Slices } from "../model/slices";
import { Grid, scaleOf } from "../model/timeline";
import { App } from "./app";
import { byId, element, keepPlace } from "./dom";
import { chooseTime, haltWord } from "./halts";
import { partOf } from "./panels";
import { remember } from "./remember";

const MOST_LANES = 200;
const LONGEST_NAME = 200;
const NEAR = 3; // pixels
const MILLISECOND = 1e6;

export class Lanes {
    private rows: Row[] = [];
    private strips: { button: HTMLButtonElement; canvas: HTMLCanvasElement }[] = [];
    private marks: Marks | null = null;
    private ofThread = new Map<string, number[]>();
    private shown: unknown[] = [];
    private drawn: unknown[] = [];
    private readonly lanes = remember((slices: Slices, rows: Row[], grid: Grid) => lanesOf(slices, rows, grid));
    private grid: Grid | null = null; // as drawn
    private told = false; // an event is described

    constructor(private readonly app: App, private readonly redraw: () => void) {
        // A page without the events, or with damaged ones, has the lanes all the same.
        void readMarks(partOf("marks")).catch(() => null).then((marks) => {
            this.marks = marks;
            this.ofThread = marks ? byThread(marks) : this.ofThread;
            redraw();
        });
    }

    // Makes the rows if there are others than before.
    show(slices: Slices): void {
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

    private make(slices: Slices, total: number): void {
        this.strips = [];
        byId("lanes").replaceChildren(...this.rows.map((row) => {
            const name = visibleName(row.label).slice(0, LONGEST_NAME);
            const size = row.threads.length > 1 ? " (" + formatCount(row.threads.length) + ")" : "";
            const button = element("button", { type: "button", className: "thread", title: name },
                element("bdi", { dir: "ltr" }, name + size), element("span", { className: "share" }, formatShare(row.weight / total)));
            button.addEventListener("click", () => this.toggle(row));
            const canvas = element("canvas", { className: "lane" });
            canvas.setAttribute("aria-hidden", "true");
            canvas.addEventListener("pointermove", (event) => this.tell(slices, row, event));
            canvas.addEventListener("pointerleave", () => this.untell());
            canvas.addEventListener("click", (event) => this.choose(slices, row, event));
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

    draw(slices: Slices, grid: Grid): void {
        const { theme } = this.app;
        this.grid = grid;
        const lanes = this.lanes(slices, this.rows, grid);
        const key = [lanes, theme, this.marks, byId("lanes").clientWidth];
        if (key.every((part, i) => part === this.drawn[i])) {
            return;
        }
        this.drawn = key;
        const most = scaleOf(Float64Array.from(lanes.flatMap(({ columns }) => [...columns])));
        const seen = new Set<number>();
        lanes.forEach((lane, i) => {
            const events = this.eventsOf(slices, lane, grid);
            events.forEach(({ look }) => seen.add(look));
            drawLane(this.strips[i].canvas, lane, most, events, theme);
        });
        this.tellColours(slices, seen);
    }

    // The span of the axis in nanoseconds.
    private axis({ startNs, bucketNs }: Slices, { first, columns, rows, cellBuckets }: Grid): { start: number; length: number } {
        return { start: startNs + first * bucketNs, length: columns * rows * cellBuckets * bucketNs };
    }

    private marksOf(slices: Slices, { threads }: Row): number[] {
        return slices.startNs > 0 && this.app.isOfPage ? threads.flatMap((thread) => this.ofThread.get(slices.threads[thread]) ?? []) : [];
    }

    private eventsOf(slices: Slices, row: Row, grid: Grid): Event[] {
        const { marks } = this;
        const { start, length } = this.axis(slices, grid);
        return !marks ? [] : this.marksOf(slices, row).map((i) => ({
            from: (marks.start[i] - start) / length, to: (marks.start[i] + marks.length[i] - start) / length,
            look: lookOfKind(marks.kinds[marks.kind[i]]),
        })).filter(({ from, to }) => to >= 0 && from <= 1);
    }

    private tellColours(slices: Slices, events: Set<number>): void {
        const { marks, app: { theme } } = this;
        const items = LOOKS.flatMap(({ word, colour }, i) => {
            const swatch = element("span", { className: "swatch" });
            swatch.style.backgroundColor = colour[theme];
            return events.has(i) || (slices.state?.includes(i) ?? false) ? [element("span", {}, swatch, word)] : [];
        });
        const part = marks && marks.count < marks.all && this.app.isOfPage
            ? ". " + formatCount(marks.count) + " of " + formatCount(marks.all) + " events are marked, the longest." : "";
        byId("lanes-text").hidden = items.length === 0;
        byId("lanes-text").replaceChildren(...items, part);
    }

    // The shortest event of the row under the pointer, or -1.
    private under(slices: Slices, row: Row, event: MouseEvent): number {
        const { marks, grid } = this;
        const box = (event.target as HTMLElement).getBoundingClientRect();
        if (!marks || !grid) {
            return -1;
        }
        const { start, length } = this.axis(slices, grid);
        const time = (x: number) => start + ((x - box.left) / box.width) * length;
        const [from, to] = [time(event.clientX - NEAR), time(event.clientX + NEAR)];
        return this.marksOf(slices, row).filter((i) => marks.start[i] <= to && marks.start[i] + marks.length[i] >= from)
            .reduce((best, i) => (best < 0 || marks.length[i] < marks.length[best] ? i : best), -1);
    }

    private tell(slices: Slices, row: Row, event: MouseEvent): void {
        const { marks } = this;
        const i = this.under(slices, row, event);
        (event.target as HTMLElement).style.cursor = i >= 0 ? "pointer" : "";
        if (marks && i >= 0) {
            const what = marks.texts[marks.what[i]];
            this.told = true;
            byId("heat-text").textContent = clockOf(marks.start[i], MILLISECOND) + ", "
                + visibleName(marks.texts[marks.thread[i]]).slice(0, LONGEST_NAME)
                + ": " + haltWord(marks.kinds[marks.kind[i]]) + (what ? ", " + visibleName(what).slice(0, LONGEST_NAME) : "")
                + (marks.length[i] > 0 ? ", " + formatValue(marks.length[i], "ns") : "");
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

    private choose(slices: Slices, row: Row, event: MouseEvent): void {
        const i = this.under(slices, row, event);
        if (this.marks && i >= 0) {
            chooseTime(this.app, this.marks.start[i], this.marks.length[i]);
        }
    }
}
