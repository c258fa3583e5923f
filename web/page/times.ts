// Shows the timeline: the heat map, in which the user chooses a range, and the threads' lanes, in which the user chooses threads.
import { drawGrid, drawLane, Span } from "../draw/heat";
import { clockOf, dateOf, ticksOf } from "../model/clock";
import { formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { Slices } from "../model/slices";
import { Grid, Lane, gridOf, lanesOf, scaleOf } from "../model/timeline";
import { App } from "./app";
import { byId, element, oncePerPicture } from "./dom";
import { Marks } from "./marks";
import { remember } from "./remember";
import { isGap } from "./why";

const MOST_LANES = 200;
const LONGEST_NAME = 200;
const TICK_WIDTH = 110;
const LABEL_WIDTH = 80;

const NO_SLICES: Slices = {
    startNs: 0, bucketNs: 1, buckets: 1, threads: [], count: 0,
    time: new Int32Array(0), thread: new Int32Array(0), node: new Int32Array(0), weight: new Float64Array(0),
};

export class Times {
    private readonly heat = byId<HTMLCanvasElement>("heat");
    private slices: Slices = NO_SLICES;
    private readonly grid: (slices: Slices, threads: string) => Grid;
    private readonly scale = remember((lanes: Lane[]) => scaleOf(Float64Array.from(lanes.flatMap(({ columns }) => [...columns]))));
    private readonly lanes: (slices: Slices) => Lane[];
    private readonly strips = new Map<number, { button: HTMLButtonElement; canvas: HTMLCanvasElement }>();
    private readonly redraw = oncePerPicture(() => this.draw());
    private readonly marks: Marks;
    private cursor = -1;
    private anchor = -1;
    private drags = false;

    constructor(private readonly app: App) {
        this.marks = new Marks(app);
        this.grid = remember((slices, threads) => gridOf(slices, threads === "" ? [] : threads.split(".").map(Number)));
        this.lanes = remember((slices) => lanesOf(slices, gridOf(slices, [])));
        this.listen();
    }

    private makeLanes(): void {
        const all = this.lanes(this.slices);
        this.strips.clear();
        const total = all.reduce((sum, { weight }) => sum + weight, 0);
        byId("lanes").replaceChildren(...all.slice(0, MOST_LANES).map(({ thread, weight }) => {
            const name = visibleName(this.slices.threads[thread]).slice(0, LONGEST_NAME);
            const button = element("button", { type: "button", className: "thread", title: name },
                element("bdi", { dir: "ltr" }, name), element("span", { className: "share" }, formatShare(weight / total)));
            const canvas = element("canvas", { className: "lane" });
            canvas.setAttribute("aria-hidden", "true");
            button.addEventListener("click", () => this.toggle(thread));
            this.strips.set(thread, { button, canvas });
            return element("li", {}, button, canvas);
        }));
        byId("lanes-more").hidden = all.length <= MOST_LANES;
        byId("lanes-more").textContent = "The " + MOST_LANES + " threads with most time of " + all.length;
    }

    private toggle(thread: number): void {
        const { threads } = this.app.state;
        const next = threads.includes(thread) ? threads.filter((other) => other !== thread) : [...threads, thread];
        this.app.change({ threads: next.sort((a, b) => a - b) }, true);
    }

    private listen(): void {
        const { heat } = this;
        new ResizeObserver(this.redraw).observe(byId("timeline"));
        heat.addEventListener("pointerdown", (event) => {
            heat.setPointerCapture(event.pointerId);
            this.drags = true;
            this.anchor = this.cursor = this.cellAt(event);
            this.redraw();
        });
        heat.addEventListener("pointermove", (event) => {
            this.cursor = this.drags || event.pointerType === "mouse" ? this.cellAt(event) : this.cursor;
            this.redraw();
        });
        heat.addEventListener("pointerup", (event) => {
            this.cursor = this.cellAt(event);
            this.drags = false;
            this.choose();
        });
        heat.addEventListener("pointercancel", () => { this.drags = false; });
        heat.addEventListener("pointerleave", () => {
            if (!this.drags) {
                this.cursor = -1;
                this.redraw();
            }
        });
        heat.addEventListener("blur", () => {
            this.cursor = this.anchor = -1;
            this.redraw();
        });
        heat.addEventListener("keydown", (event) => this.key(event));
    }

    private cellAt(event: PointerEvent): number {
        const { columns, rows } = this.present;
        const box = this.heat.getBoundingClientRect();
        const within = (value: number, limit: number) => Math.max(0, Math.min(limit - 1, Math.floor(value * limit)));
        return within((event.clientX - box.left) / box.width, columns) * rows + within((event.clientY - box.top) / box.height, rows);
    }

    private get present(): Grid {
        return this.grid(this.slices, this.app.state.threads.join("."));
    }

    private key(event: KeyboardEvent): void {
        const { rows, cells } = this.present;
        const steps: Record<string, number> = { ArrowLeft: -rows, ArrowRight: rows, ArrowUp: -1, ArrowDown: 1 };
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (Object.hasOwn(steps, event.key)) {
            const from = this.cursor < 0 ? 0 : this.cursor + steps[event.key];
            this.cursor = Math.max(0, Math.min(cells.length - 1, from));
            this.anchor = event.shiftKey && this.anchor >= 0 ? this.anchor : this.cursor;
        } else if (event.key === "Enter" || event.key === " ") {
            this.choose();
        } else if (event.key === "Escape") {
            this.cursor = this.anchor = -1;
            this.app.change({ from: 0, to: -1 }, true);
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        this.redraw();
    }

    // The range from the anchor to the cursor, or null.
    private get marked(): Span | null {
        return this.anchor < 0 || this.cursor < 0 ? null
            : { from: Math.min(this.anchor, this.cursor), to: Math.max(this.anchor, this.cursor) + 1 };
    }

    private choose(): void {
        const span = this.marked;
        const { cellBuckets } = this.present;
        this.anchor = -1;
        if (span) {
            const to = Math.min(span.to * cellBuckets, this.slices.buckets);
            const [from, all] = [span.from * cellBuckets, to === this.slices.buckets && span.from === 0];
            const asks = !all && this.app.profile.kind === "cpu" && this.slices.startNs > 0 && isGap(this.slices, from, to);
            this.app.change({ from, to: all ? -1 : to, ...(asks ? { panel: "why" } : {}) }, true);
        }
    }

    show(): void {
        byId("timeline").hidden = !this.app.timelineShown;
        const { slices } = this.app.profile;
        if (slices && slices !== this.slices) {
            this.slices = slices;
            this.cursor = this.anchor = -1;
            this.makeLanes();
        }
        const { threads } = this.app.state;
        this.strips.forEach(({ button }, thread) => button.setAttribute("aria-pressed", String(threads.includes(thread))));
        this.redraw();
    }

    private draw(): void {
        if (!this.app.timelineShown) {
            return;
        }
        const { state, theme } = this.app;
        const grid = this.present;
        const { cellBuckets } = grid;
        const chosen = state.from > 0 || state.to >= 0
            ? { from: state.from / cellBuckets, to: (state.to < 0 ? this.slices.buckets : state.to) / cellBuckets } : null;
        drawGrid(this.heat, grid, theme, this.marked ?? chosen, this.cursor);
        byId("heat-text").textContent = this.text(grid);
        this.drawTicks(grid);
        this.marks.draw(this.slices, grid.columns * grid.rows * cellBuckets * this.slices.bucketNs);
        const lanes = this.lanes(this.slices);
        const most = this.scale(lanes);
        for (const lane of lanes.slice(0, MOST_LANES)) {
            drawLane((this.strips.get(lane.thread) as { canvas: HTMLCanvasElement }).canvas, lane, most, theme);
        }
    }

    // Draws the ticks. A tick that has no room for its label is left out.
    private drawTicks({ columns, rows, cellBuckets }: Grid): void {
        const { clientWidth: width } = this.heat;
        const { startNs, bucketNs } = this.slices;
        const length = columns * rows * cellBuckets * bucketNs;
        const ticks = ticksOf(startNs, length, width / TICK_WIDTH, (ns) => formatValue(ns, "ns"));
        byId("ticks").replaceChildren(...ticks.filter(({ at }) => at * width < width - LABEL_WIDTH).map(({ at, label }) => {
            const tick = element("li", {}, label);
            tick.style.left = at * 100 + "%";
            return tick;
        }));
    }

    // Formats the time at which a cell begins.
    private at(cell: number, cellNs: number): string {
        const { startNs } = this.slices;
        return startNs > 0 ? clockOf(startNs + cell * cellNs, cellNs) : formatValue(cell * cellNs, "ns");
    }

    private text({ rows, cellBuckets, cells, largest }: Grid): string {
        const cellNs = cellBuckets * this.slices.bucketNs;
        const length = (cells: number) => formatValue(cells * cellNs, "ns");
        const span = this.marked;
        if (this.cursor >= 0) {
            const { from, to } = span ?? { from: this.cursor, to: this.cursor + 1 };
            const weight = cells.subarray(from, to).reduce((sum, cell) => sum + cell, 0);
            return this.at(from, cellNs) + " to " + this.at(to, cellNs) + ": " + formatValue(weight, this.app.profile.unit);
        }
        return length(this.slices.buckets / cellBuckets) + (this.slices.startNs > 0 ? " of " + dateOf(this.slices.startNs) + ", UTC" : "")
            + ": a column is " + length(rows) + (rows > 1 ? ", a cell " + length(1) : "")
            + ", the most in one " + formatValue(largest, this.app.profile.unit) + ". Drag to choose a range.";
    }
}
