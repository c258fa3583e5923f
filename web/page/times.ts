// Shows the timeline: the axis of time, and the heat map, in which the user chooses a range. The lanes of threads are in lanes.ts.
import { drawGrid, Span } from "../draw/heat";
import { clockOf, dateOf, ticksOf } from "../model/clock";
import { formatValue } from "../model/figures";
import { Timeline } from "../model/slices";
import { Grid, Window, gridOf } from "../model/timeline";
import { App } from "./app";
import { moveAxis, windowOf, zoomAxis, zoomToChosen } from "./axis";
import { byId, element, oncePerPicture } from "./dom";
import { Lanes } from "./lanes";
import { Marks } from "./marks";
import { remember } from "./remember";
import { isGap } from "./why";

const TICK_WIDTH = 110;
const LABEL_WIDTH = 80;
const WHEEL_STEP = 200; // pixels of the wheel that make the axis twice as long

const NO_SLICES: Timeline = {
    startNs: 0, bucketNs: 1, buckets: 1, threads: [], count: 0,
    time: new Int32Array(0), thread: new Int32Array(0), weight: new Float64Array(0), state: null,
};

export class Times {
    private readonly heat = byId<HTMLCanvasElement>("heat");
    private slices: Timeline = NO_SLICES;
    private readonly grid: (slices: Timeline, threads: string, from: number, to: number) => Grid;
    private readonly lanes: Lanes;
    private readonly redraw = oncePerPicture(() => this.draw());
    private readonly marks: Marks;
    private cursor = -1;
    private anchor = -1;
    private drags = false;

    constructor(private readonly app: App) {
        this.marks = new Marks(app);
        this.grid = remember((slices, threads, from, to) =>
            gridOf(slices, threads === "" ? [] : threads.split(".").map(Number), { from, to }));
        this.lanes = new Lanes(app, this.redraw);
        this.listen();
        this.listenToAxis();
    }

    private get window(): Window {
        return windowOf(this.app, this.slices);
    }

    // Buttons, wheel and keys that zoom and move the axis.
    private listenToAxis(): void {
        const on = (id: string, work: (slices: Timeline) => void) => byId(id).addEventListener("click", () => work(this.slices));
        on("axis-in", (slices) => zoomAxis(this.app, slices, 1, this.cursorShare));
        on("axis-out", (slices) => zoomAxis(this.app, slices, -1, this.cursorShare));
        on("axis-chosen", (slices) => zoomToChosen(this.app, slices));
        on("axis-all", () => this.app.change({ axis: [] }));
        this.heat.addEventListener("wheel", (event) => {
            const box = this.heat.getBoundingClientRect();
            const { deltaX, deltaY, shiftKey } = event;
            if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
                moveAxis(this.app, this.slices, (deltaX || deltaY) / box.width);
            } else {
                zoomAxis(this.app, this.slices, -deltaY / WHEEL_STEP, (event.clientX - box.left) / box.width);
            }
            // The cells have other numbers now.
            this.cursor = this.cellAt(event);
            this.anchor = this.drags ? this.cursor : -1;
            this.redraw();
            event.preventDefault();
        }, { passive: false });
    }

    // The cursor's place as a share of the axis, or the middle.
    private get cursorShare(): number {
        const { columns, rows } = this.present;
        return this.cursor < 0 ? 0.5 : (Math.floor(this.cursor / rows) + 0.5) / columns;
    }

    private listen(): void {
        const { heat } = this;
        new ResizeObserver(this.redraw).observe(byId("timeline"));
        window.addEventListener("beforeprint", () => this.draw());
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

    private cellAt(event: MouseEvent): number {
        const { columns, rows } = this.present;
        const box = this.heat.getBoundingClientRect();
        const within = (value: number, limit: number) => Math.max(0, Math.min(limit - 1, Math.floor(value * limit)));
        return within((event.clientX - box.left) / box.width, columns) * rows + within((event.clientY - box.top) / box.height, rows);
    }

    private get present(): Grid {
        const { from, to } = this.window;
        return this.grid(this.slices, this.app.state.threads.join("."), from, to);
    }

    private key(event: KeyboardEvent): void {
        const { rows, cells } = this.present;
        const steps: Record<string, number> = { ArrowLeft: -rows, ArrowRight: rows, ArrowUp: -1, ArrowDown: 1 };
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const zoom = (steps: number) => zoomAxis(this.app, this.slices, steps, this.cursorShare);
        const axis: Record<string, () => void> = {
            "+": () => zoom(1), "-": () => zoom(-1),
            PageUp: () => moveAxis(this.app, this.slices, -0.5), PageDown: () => moveAxis(this.app, this.slices, 0.5),
        };
        if (Object.hasOwn(axis, event.key)) {
            axis[event.key]();
            this.cursor = this.anchor = -1;
        } else if (Object.hasOwn(steps, event.key)) {
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
        const { cellBuckets, first } = this.present;
        this.anchor = -1;
        if (span) {
            const [from, to] = [first + span.from * cellBuckets, Math.min(first + span.to * cellBuckets, this.slices.buckets)];
            const all = to === this.slices.buckets && from === 0;
            const isCpu = this.app.isOfPage && this.app.profile.kind === "cpu";
            const asks = !all && isCpu && this.slices.startNs > 0 && isGap(this.slices, from, to);
            this.app.change({ from, to: all ? -1 : to, ...(asks ? { panel: "why" } : {}) }, true);
        }
    }

    show(): void {
        byId("timeline").hidden = !this.app.timelineShown;
        const { timeline } = this.app.profile;
        if (timeline && timeline !== this.slices) {
            this.slices = timeline;
            this.cursor = this.anchor = -1;
        }
        this.lanes.show(this.slices);
        this.showAxisButtons();
        this.redraw();
    }

    private showAxisButtons(): void {
        const { axis, from, to } = this.app.state;
        byId<HTMLButtonElement>("axis-all").disabled = byId<HTMLButtonElement>("axis-out").disabled = axis.length === 0;
        byId<HTMLButtonElement>("axis-chosen").disabled = from === 0 && to < 0;
        if (document.activeElement?.matches("#axis :disabled")) {
            this.heat.focus({ preventScroll: true }); // a button that its own click disabled would keep keys away
        }
    }

    private draw(): void {
        if (!this.app.timelineShown) {
            return;
        }
        const { state, theme } = this.app;
        const grid = this.present;
        const cell = (bucket: number) => (bucket - grid.first) / grid.cellBuckets;
        const chosen = state.from > 0 || state.to >= 0
            ? { from: cell(state.from), to: cell(state.to < 0 ? this.slices.buckets : state.to) } : null;
        drawGrid(this.heat, grid, theme, this.marked ?? chosen, this.cursor);
        byId("heat-text").textContent = this.text(grid);
        this.drawTicks(grid);
        this.marks.draw(this.slices, grid);
        this.lanes.draw(this.slices, grid);
    }

    // Draws the ticks. A tick that has no room for its label is left out.
    private drawTicks({ columns, rows, cellBuckets, first }: Grid): void {
        const { clientWidth: width } = this.heat;
        const { startNs, bucketNs } = this.slices;
        const length = columns * rows * cellBuckets * bucketNs;
        const label = (ns: number, step: number) => (startNs > 0 ? clockOf(ns, step) : formatValue(ns, "ns"));
        const ticks = ticksOf(startNs + first * bucketNs, length, width / TICK_WIDTH, label);
        byId("ticks").replaceChildren(...ticks.filter(({ at }) => at * width < width - LABEL_WIDTH).map(({ at, label }) => {
            const tick = element("li", {}, label);
            tick.style.left = at * 100 + "%";
            return tick;
        }));
    }

    // Formats the time at which a cell begins.
    private at(cell: number, { first, cellBuckets }: Grid): string {
        const { startNs, bucketNs } = this.slices;
        const ns = (first + cell * cellBuckets) * bucketNs;
        return startNs > 0 ? clockOf(startNs + ns, cellBuckets * bucketNs) : formatValue(ns, "ns");
    }

    private text(grid: Grid): string {
        const { rows, cellBuckets, cells, largest } = grid;
        const cellNs = cellBuckets * this.slices.bucketNs;
        const length = (cells: number) => formatValue(cells * cellNs, "ns");
        const span = this.marked;
        if (this.cursor >= 0) {
            const { from, to } = span ?? { from: this.cursor, to: this.cursor + 1 };
            const weight = cells.subarray(from, to).reduce((sum, cell) => sum + cell, 0);
            return this.at(from, grid) + " to " + this.at(to, grid) + ": " + formatValue(weight, this.app.profile.unit);
        }
        const { from, to } = this.window;
        return length((to - from) / cellBuckets) + (this.slices.startNs > 0 ? " of " + dateOf(this.slices.startNs) + ", UTC" : "")
            + ": a column is " + length(rows) + (rows > 1 ? ", a cell " + length(1) : "")
            + ", the most in one " + formatValue(largest, this.app.profile.unit) + ". Drag to choose a range.";
    }
}
