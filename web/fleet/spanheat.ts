// The heat map of single requests: how many began when, and took (or used) how much. A click or a drag chooses a rectangle of it.
import { formatCount, formatValue, plural } from "../model/figures";
import { element, oncePerPicture } from "../page/dom";
import { Cell } from "./state";
import { svg } from "./svg";
import { axisTicks, spanText } from "./times";

const ROW = 16; // pixels, as those below
const LOW = 24; // room for the axis of time
const LEFT = 64; // and for that of values
const TOP = 16;
const TICK_WIDTH = 84;
const SHADES = 6; // classes of fleet.css

export interface Heat {
    from: number; // seconds since the epoch
    step: number; // seconds
    columns: number;
    bounds: number[]; // of each row the least value, and that of the row above the last
    cells: [number, number, number][]; // column, row, spans
}

interface Corner {
    column: number;
    row: number;
}

export class SpanHeat {
    readonly root: HTMLElement;
    private readonly picture = svg("svg", { "aria-hidden": "true" }) as SVGSVGElement;
    private readonly field = element("div", { className: "chart heat", tabIndex: 0 });
    private readonly readout = element("output", { className: "readout" });
    private readonly legend = element("p", { className: "aside heat-legend" });
    private readonly redraw = oncePerPicture(() => this.draw());
    private heat: Heat | null = null;
    private unit = "ns";
    private zone = "utc";
    private chosen: Cell | null = null;
    private cursor: Corner | null = null;
    private anchor: Corner | null = null;
    private drags = false;
    private hadFocus = false; // when a cell was chosen

    constructor(private readonly chosenIs: (cell: Cell | null) => void) {
        this.field.setAttribute("role", "application");
        this.field.setAttribute("aria-label", "Single requests by their beginning and their size. Arrow keys move, Shift marks more, "
            + "Enter selects, Escape clears the selection.");
        this.field.append(this.picture);
        this.root = element("figure", { className: "over-time" }, this.field, this.readout, this.legend);
        this.listen();
    }

    show(heat: Heat, unit: string, zone: string, chosen: Cell | null): void {
        if (heat !== this.heat) {
            this.cursor = this.anchor = null;
        }
        Object.assign(this, { heat, unit, zone, chosen });
        this.showLegend(heat);
        this.draw();
    }

    // The view takes the map away until it knows the requests of a cell. Then the keys work again.
    regainFocus(): void {
        if (this.hadFocus && document.activeElement === document.body) {
            this.field.focus({ preventScroll: true });
        }
        this.hadFocus = false;
    }

    private choose(cell: Cell | null): void {
        this.hadFocus = document.activeElement === this.field;
        this.chosenIs(cell);
    }

    private get rows(): number {
        return Math.max(1, (this.heat?.bounds.length ?? 1) - 1);
    }

    private get most(): number {
        return this.heat?.cells.reduce((most, [, , spans]) => Math.max(most, spans), 0) ?? 0;
    }

    // Few requests differ from none, and from many.
    private shadeOf(spans: number): number {
        return Math.max(1, Math.min(SHADES, Math.ceil(SHADES * Math.log(1 + spans) / Math.log(1 + this.most)))); // quotients are rounded
    }

    private draw(): void {
        const { heat, rows } = this;
        const width = this.field.clientWidth;
        if (!heat || width === 0) {
            return;
        }
        const height = TOP + rows * ROW + LOW;
        this.field.style.height = height + "px";
        this.picture.setAttribute("width", String(width));
        this.picture.setAttribute("height", String(height));
        this.picture.replaceChildren(...this.axes(heat, width), ...this.boxes(heat, width));
        this.tell();
    }

    private column(width: number): number {
        return (width - LEFT - 8) / (this.heat?.columns ?? 1);
    }

    private bottomOf(row: number): number {
        return TOP + (this.rows - row) * ROW;
    }

    private axes(heat: Heat, width: number): SVGElement[] {
        const span = { from: heat.from, to: heat.from + heat.columns * heat.step };
        const floor = this.bottomOf(0);
        const marks = heat.bounds.flatMap((bound, row) => [
            svg("line", { x1: LEFT, x2: width - 8, y1: this.bottomOf(row), y2: this.bottomOf(row), class: "grid" }),
            svg("text", { x: LEFT - 6, y: this.bottomOf(row) + 4, class: "weight" }, this.valueText(bound))]);
        const ticks = axisTicks(span, this.zone, (width - LEFT) / TICK_WIDTH).flatMap(({ at, label }) => {
            const x = LEFT + at * (width - LEFT - 8);
            return x > width - TICK_WIDTH / 4 ? [] : [svg("line", { x1: x, x2: x, y1: floor, y2: floor + 5, class: "tick" }),
                svg("text", { x, y: floor + LOW - 5, class: "time" }, label)];
        });
        return [...marks, ...ticks];
    }

    private boxes({ cells, bounds, from, step }: Heat, width: number): SVGElement[] {
        const column = this.column(width);
        const made = cells.map(([at, row, spans]) => svg("rect", { x: LEFT + at * column, y: this.bottomOf(row + 1), height: ROW - 1,
            width: Math.max(1, column - 1), class: "shade-" + this.shadeOf(spans) }));
        const frame = (one: Corner, two: Corner, name: string) => {
            const [left, right] = [Math.min(one.column, two.column), Math.max(one.column, two.column) + 1];
            const [low, high] = [Math.min(one.row, two.row), Math.max(one.row, two.row) + 1];
            made.push(svg("rect", { x: LEFT + left * column, y: this.bottomOf(high), width: (right - left) * column,
                height: (high - low) * ROW, class: name }));
        };
        if (this.chosen) {
            const { span, least, most } = this.chosen;
            const rowBelow = (value: number | null) => (value === null ? this.rows : bounds.filter((bound) => bound < value).length);
            frame({ column: Math.floor((span.from - from) / step), row: rowBelow(least) },
                { column: Math.ceil((span.to - from) / step) - 1, row: rowBelow(most) - 1 }, "brush");
        }
        if (this.cursor) {
            frame(this.anchor ?? this.cursor, this.cursor, "brush cursor");
        }
        return made;
    }

    private valueText(value: number): string {
        return value === 0 ? "0" : formatValue(value, this.unit);
    }

    private get marked(): Cell | null {
        const { heat, cursor } = this;
        if (!heat || !cursor) {
            return null;
        }
        const anchor = this.anchor ?? cursor;
        const [columns, rows] = [[anchor.column, cursor.column], [anchor.row, cursor.row]].map((list) => list.sort((a, b) => a - b));
        return {
            span: { from: heat.from + columns[0] * heat.step, to: heat.from + (columns[1] + 1) * heat.step },
            least: heat.bounds[rows[0]] ?? 0, most: heat.bounds[rows[1] + 1] ?? null,
        };
    }

    private tell(): void {
        const { heat, marked } = this;
        const all = heat?.cells.reduce((sum, [, , spans]) => sum + spans, 0) ?? 0;
        if (!heat || !marked) {
            this.readout.textContent = plural(all, "request") + ". Click a cell, or drag over several, for their profile.";
            return;
        }
        const inside = heat.cells.filter(([column, row]) => {
            const at = heat.from + column * heat.step;
            const value = heat.bounds[row];
            return at >= marked.span.from && at < marked.span.to && value >= marked.least && (marked.most === null || value < marked.most);
        }).reduce((sum, [, , spans]) => sum + spans, 0);
        this.readout.textContent = `${spanText(marked.span, this.zone)}: ${plural(inside, "request")} with ${this.rangeText(marked)}`;
    }

    rangeText({ least, most }: Cell): string {
        return most === null ? this.valueText(least) + " or more" : this.valueText(least) + " to " + this.valueText(most);
    }

    private showLegend(heat: Heat): void {
        const shade = (name: string) => element("span", { className: "key " + name });
        this.legend.hidden = heat.cells.length === 0;
        this.legend.replaceChildren("1 request ", ...Array.from({ length: SHADES }, (_, i) => shade("shade-" + (i + 1))),
            " " + formatCount(this.most));
    }

    private listen(): void {
        const { field } = this;
        new ResizeObserver(this.redraw).observe(field);
        field.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) {
                return;
            }
            field.setPointerCapture(event.pointerId);
            this.drags = true;
            this.anchor = this.cursor = this.cornerAt(event);
            this.redraw();
        });
        field.addEventListener("pointermove", (event) => {
            this.cursor = this.cornerAt(event);
            this.redraw();
        });
        field.addEventListener("pointerup", (event) => {
            if (this.drags) { // a press that began elsewhere chooses nothing here
                this.cursor = this.cornerAt(event);
                this.drags = false;
                this.end();
            }
        });
        field.addEventListener("pointerleave", () => this.leave());
        field.addEventListener("pointercancel", () => {
            this.drags = false;
            this.leave();
        });
        field.addEventListener("blur", () => this.leave());
        field.addEventListener("keydown", (event) => this.key(event));
    }

    private leave(): void {
        if (!this.drags) {
            this.cursor = this.anchor = null;
            this.redraw();
        }
    }

    private within(column: number, row: number): Corner {
        const limited = (value: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(value)));
        return { column: limited(column, this.heat?.columns ?? 1), row: limited(row, this.rows) };
    }

    private cornerAt(event: PointerEvent): Corner {
        const box = this.field.getBoundingClientRect();
        return this.within((event.clientX - box.left - LEFT) / this.column(box.width), this.rows - (event.clientY - box.top - TOP) / ROW);
    }

    private end(): void {
        const { marked } = this;
        this.anchor = null;
        this.redraw();
        if (marked) {
            this.choose(marked);
        }
    }

    private key(event: KeyboardEvent): void {
        const steps: Record<string, [number, number]> = {
            ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], PageUp: [-10, 0], PageDown: [10, 0],
        };
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (Object.hasOwn(steps, event.key)) {
            const [right, up] = this.cursor ? steps[event.key] : [0, 0];
            const { column, row } = this.cursor ?? { column: 0, row: 0 };
            this.anchor = event.shiftKey ? this.anchor ?? this.cursor : null;
            this.cursor = this.within(column + right, row + up);
        } else if (event.key === "Enter") {
            this.end();
        } else if (event.key === "Escape") {
            this.cursor = this.anchor = null;
            this.choose(null);
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        this.redraw();
    }
}
