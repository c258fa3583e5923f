// Draws weights over time as a stack of series, with axes and a legend. The user chooses a part of the time by mouse or keys.
import { formatShare } from "../model/figures";
import { visibleName } from "../model/names";
import { element, keepPlace, oncePerPicture } from "../page/dom";
import { Series } from "./api";
import { Scale, scaleOf } from "./kinds";
import { Span } from "./state";
import { svg } from "./svg";
import { axisTicks, spanText } from "./times";

const MOST_SERIES = 8;
const HEIGHT = 190;
const LOW = 24; // room for the axis of time
const LEFT = 46; // and for that of weights
const TICK_WIDTH = 84;
const LONGEST = 80;
const NO_VALUE = "(none)";

export interface Data {
    type: string;
    step: number;
    span: Span;
    series: Series[];
}

export interface Choices {
    zone: string;
    part: Span | null;
    hidden: string[];
}

export interface Listener {
    part: (span: Span | null) => void;
    hide?: (values: string[]) => void; // missing: the chart has no legend
}

export interface Layer {
    key: string; // in the list of hidden values
    label: string;
    bins: Float64Array; // weight of each step
    total: number;
    colour: number;
}

// Where steps and values are in the picture.
export type Place = Record<"x" | "y", (of: number) => number>;

// The number of steps. What is left of the time after the last one belongs to it.
function stepsOf({ span, step }: Pick<Data, "span" | "step">): number {
    return Math.max(1, Math.round((span.to - span.from) / step));
}

// Returns the weight of each step.
export function binsOf(points: Series["points"], { span, step }: Pick<Data, "span" | "step">): Float64Array {
    const bins = new Float64Array(stepsOf({ span, step }));
    points.forEach(([time, weight]) => {
        const at = Math.floor((time - span.from) / step);
        bins[Math.min(bins.length - 1, Math.max(0, at))] += weight;
    });
    return bins;
}

// Makes the layers, the largest first. The smallest series share one layer.
export function layersOf({ series, span, step }: Data): Layer[] {
    const layers = series.map(({ value, points }) => {
        const bins = binsOf(points, { span, step });
        const key = value === "" ? NO_VALUE : value;
        return { key, label: visibleName(key).slice(0, LONGEST), bins, colour: 0, total: bins.reduce((a, b) => a + b, 0) };
    }).sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
    if (layers.length > MOST_SERIES) {
        const rest = layers.splice(MOST_SERIES - 1);
        const key = rest.length + " more";
        layers.push({
            key, label: key, colour: 0, total: rest.reduce((sum, { total }) => sum + total, 0),
            bins: rest[0].bins.map((_, i) => rest.reduce((sum, { bins }) => sum + bins[i], 0)),
        });
    }
    layers.forEach((layer, i) => { layer.colour = i; });
    return layers;
}

// Returns round values from 0 to at least `most`; only 0 if nothing is larger.
export function roundSteps(most: number, count: number): number[] {
    if (!(most > 0)) {
        return [0];
    }
    const rough = Math.max(most, 1e-9) / count;
    const size = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= rough) as number;
    return Array.from({ length: Math.ceil(Math.max(most, 1e-9) / step - 1e-9) + 1 }, (_, i) => i * step);
}

// Formats a value at the axis, where there is room for six characters. Values of roundSteps have one or two digits that are not 0.
export function markText(value: number): string {
    const rounded = Number(value.toPrecision(3));
    const text = String(rounded);
    return text.length > 6 ? rounded.toExponential() : text;
}

export class Chart {
    readonly root: HTMLElement;
    private readonly picture = svg("svg", { "aria-hidden": "true" }) as SVGSVGElement;
    private readonly readout = element("output", { className: "readout" });
    private readonly legend = element("ul", { className: "keys" });
    private readonly field: HTMLElement;
    private readonly redraw = oncePerPicture(() => this.draw());
    protected data: Data | null = null;
    private choices: Choices = { zone: "utc", part: null, hidden: [] };
    protected layers: Layer[] = [];
    private cursor = -1; // a step
    private anchor = -1;
    private drags = false;

    constructor(name: string, private readonly on: Listener, private readonly height = HEIGHT) {
        this.field = element("div", { className: height < HEIGHT ? "chart low" : "chart", tabIndex: 0 });
        this.field.setAttribute("role", "application");
        this.field.setAttribute("aria-label", name
            + ". Arrow keys move, Shift marks a part of the time, Enter selects it, Escape clears the selection.");
        this.field.append(this.picture);
        this.root = element("figure", { className: "over-time" }, this.field, this.readout, ...(on.hide ? [this.legend] : []));
        this.listen();
    }

    show(data: Data, choices: Choices): void {
        if (data !== this.data) {
            this.layers = this.layersFor(data);
            this.cursor = this.anchor = -1;
        }
        this.data = data;
        this.choices = choices;
        this.showLegend();
        this.draw();
    }

    protected layersFor(data: Data): Layer[] {
        return layersOf(data);
    }

    protected get visible(): Layer[] {
        return this.layers.filter(({ key }) => !this.choices.hidden.includes(key));
    }

    protected stepsOf(data: Data): number {
        return stepsOf(data);
    }

    protected get steps(): number {
        return this.data ? stepsOf(this.data) : 1;
    }

    protected get scale(): Scale {
        return scaleOf(this.data?.type ?? "", this.most());
    }

    // The largest sum of a step, as weight a second.
    protected most(): number {
        const sums = new Float64Array(this.steps);
        this.visible.forEach(({ bins }) => bins.forEach((weight, i) => { sums[i] += weight; }));
        return sums.reduce((most, sum, i) => Math.max(most, sum / this.secondsOf(i)), 0);
    }

    // Where a step begins, as a share of the time.
    private shareAt(step: number): number {
        const { span, step: length } = this.data as Data;
        return step >= this.steps ? 1 : step * length / (span.to - span.from);
    }

    protected secondsOf(step: number): number {
        const { span } = this.data as Data;
        return Math.max(1, (this.shareAt(step + 1) - this.shareAt(step)) * (span.to - span.from));
    }

    private draw(): void {
        const { data } = this;
        const width = this.field.clientWidth;
        if (!data || width === 0) {
            return;
        }
        const { scale } = this;
        const marks = roundSteps(scale.of(this.most()), this.height < HEIGHT ? 2 : 4);
        const top = marks[marks.length - 1] || 1;
        const right = width - LEFT - 8;
        const floor = this.height - LOW;
        const y = (value: number) => floor - value / top * (floor - 18);
        const x = (step: number) => LEFT + this.shareAt(step) * right;
        this.picture.setAttribute("width", String(width));
        this.picture.setAttribute("height", String(this.height));
        const parts: SVGElement[] = [svg("text", { x: 2, y: 11, class: "unit" }, scale.unit)];
        marks.forEach((value) => {
            parts.push(svg("line", { x1: LEFT, x2: LEFT + right, y1: y(value), y2: y(value), class: "grid" }),
                svg("text", { x: LEFT - 6, y: y(value) + 4, class: "weight" }, markText(value)));
        });
        for (const { at, label } of axisTicks(data.span, this.choices.zone, right / TICK_WIDTH)) {
            const place = LEFT + at * right;
            if (place < width - TICK_WIDTH / 4) {
                parts.push(svg("line", { x1: place, x2: place, y1: floor, y2: floor + 5, class: "tick" }),
                    svg("text", { x: place, y: this.height - 5, class: "time" }, label));
            }
        }
        this.picture.replaceChildren(...parts, ...this.shapes({ x, y }, scale), ...this.marks(x, floor));
        this.tell();
    }

    // Draws the layers, each on top of those before it.
    protected shapes(place: Place, scale: Scale): SVGElement[] {
        const base = new Float64Array(this.steps);
        return this.visible.map((layer) =>
            svg("path", { d: this.outline(layer, base, place, scale), class: "layer colour-" + layer.colour }));
    }

    // Returns the outline of a layer on top of those before it, and adds it to their sum.
    private outline({ bins }: Layer, base: Float64Array, { x, y }: Place, scale: Scale): string {
        const upper: string[] = [];
        const lower: string[] = [];
        bins.forEach((weight, i) => {
            const point = (at: number) => x(at).toFixed(1) + " " + y(scale.of(base[i] / this.secondsOf(i))).toFixed(1);
            lower.unshift(point(i + 1), point(i));
            base[i] += weight;
            upper.push(point(i), point(i + 1));
        });
        return "M" + upper.concat(lower).join("L") + "Z";
    }

    private marks(x: (step: number) => number, floor: number): SVGElement[] {
        const made: SVGElement[] = [];
        const { data, choices: { part } } = this;
        const chosen = this.marked ?? (part && data ? {
            from: (part.from - data.span.from) / data.step, to: (part.to - data.span.from) / data.step,
        } : null);
        if (chosen) {
            const [from, to] = [x(Math.max(0, chosen.from)), x(Math.min(this.steps, chosen.to))];
            made.push(svg("rect", { x: from, y: 14, width: Math.max(1, to - from), height: floor - 14, class: "brush" }));
        }
        if (this.cursor >= 0) {
            const at = x(this.cursor + 0.5);
            made.push(svg("line", { x1: at, x2: at, y1: 14, y2: floor, class: "cursor" }));
        }
        return made;
    }

    private get marked(): Span | null {
        return this.anchor < 0 || this.cursor < 0 ? null
            : { from: Math.min(this.anchor, this.cursor), to: Math.max(this.anchor, this.cursor) + 1 };
    }

    // Returns the seconds of these steps.
    private seconds({ from, to }: Span): Span {
        const { span, step } = this.data as Data;
        return { from: span.from + from * step, to: to >= this.steps ? span.to : span.from + to * step };
    }

    // Says what is under the cursor, or how much there is in all.
    private tell(): void {
        const { data, scale } = this;
        if (!data) {
            return;
        }
        const steps = this.marked ?? (this.cursor >= 0 ? { from: this.cursor, to: this.cursor + 1 } : null);
        const span = steps ? this.seconds(steps) : data.span;
        this.readout.textContent = this.caption(steps !== null, spanText(span, this.choices.zone), this.figures(steps, span, scale));
    }

    // chosen: the figures are of a part of the time only.
    protected caption(chosen: boolean, when: string, figures: string): string {
        return when + ": " + figures + (chosen ? "" : ". Drag to choose a part.");
    }

    // Says how much there is in these steps, or in all.
    protected figures(steps: Span | null, span: Span, scale: Scale): string {
        const weight = (layer: Layer) => (steps ? layer.bins.subarray(steps.from, steps.to).reduce((a, b) => a + b, 0) : layer.total);
        const rate = (sum: number) => scale.text(sum / Math.max(1, span.to - span.from));
        const sum = this.visible.reduce((all, layer) => all + weight(layer), 0);
        const each = this.visible.length > 1 && steps
            ? this.visible.filter((layer) => weight(layer) > 0).slice(0, 4)
                .map((layer) => layer.label + " " + rate(weight(layer))).join(", ") : "";
        return rate(sum) + (each ? " (" + each + ")" : "") + (steps ? "" : " on average");
    }

    private showLegend(): void {
        const { hide } = this.on;
        const all = this.layers.reduce((sum, { total }) => sum + total, 0);
        this.legend.hidden = !hide || this.layers.length < 2;
        keepPlace(this.legend, () => this.legend.replaceChildren(...this.layers.map(({ key, label, colour, total }) => {
            const hidden = this.choices.hidden.includes(key);
            const button = element("button", { type: "button", title: hidden ? "Show it in the chart" : "Leave it out of the chart" },
                element("span", { className: "key colour-" + colour }), element("bdi", { dir: "ltr" }, label),
                " " + formatShare(all > 0 ? total / all : 0));
            button.setAttribute("aria-pressed", String(!hidden));
            button.addEventListener("click", () =>
                hide?.(hidden ? this.choices.hidden.filter((one) => one !== key) : [...this.choices.hidden, key]));
            return element("li", {}, button);
        })));
    }

    private listen(): void {
        const { field } = this;
        new ResizeObserver(this.redraw).observe(field);
        field.addEventListener("pointerdown", (event) => {
            field.setPointerCapture(event.pointerId);
            this.drags = true;
            this.anchor = this.cursor = this.stepAt(event);
            this.redraw();
        });
        field.addEventListener("pointermove", (event) => {
            this.cursor = this.stepAt(event);
            this.redraw();
        });
        field.addEventListener("pointerup", (event) => {
            this.cursor = this.stepAt(event);
            const moved = this.drags && this.anchor !== this.cursor;
            this.drags = false;
            this.choose(moved);
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
            this.cursor = this.anchor = -1;
            this.redraw();
        }
    }

    private stepAt(event: PointerEvent): number {
        const box = this.field.getBoundingClientRect();
        const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - 8);
        const { span, step } = this.data ?? { span: { from: 0, to: 1 }, step: 1 };
        return Math.max(0, Math.min(this.steps - 1, Math.floor(share * (span.to - span.from) / step)));
    }

    // Chooses the part that is marked. A click without a move only removes the mark.
    private choose(moved: boolean): void {
        const { marked } = this;
        this.anchor = -1;
        this.redraw();
        if (marked && moved) {
            this.on.part(this.seconds(marked));
        }
    }

    private key(event: KeyboardEvent): void {
        const steps: Record<string, number> = {
            ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -this.steps, End: this.steps,
        };
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (Object.hasOwn(steps, event.key)) {
            const from = this.cursor < 0 ? 0 : this.cursor + steps[event.key];
            this.cursor = Math.max(0, Math.min(this.steps - 1, from));
            this.anchor = event.shiftKey && this.anchor >= 0 ? this.anchor : this.cursor;
        } else if (event.key === "Enter") {
            this.choose(true);
        } else if (event.key === "Escape") {
            this.cursor = this.anchor = -1;
            this.on.part(null);
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        this.redraw();
    }
}

// Draws a line without axes beside a figure. All lines of a column share `most`.
export function sparkline(bins: Float64Array, most: number): SVGElement {
    const [width, height] = [120, 24];
    const root = svg("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", preserveAspectRatio: "none" });
    const points: string[] = [];
    bins.forEach((weight, i) => {
        const y = (height - 1 - (most > 0 ? weight / most : 0) * (height - 3)).toFixed(1);
        points.push(`${(i / bins.length * width).toFixed(1)} ${y}`, `${((i + 1) / bins.length * width).toFixed(1)} ${y}`);
    });
    root.append(svg("path", { d: `M0 ${height}L${points.join("L")}L${width} ${height}Z`, class: "layer colour-0" }));
    return root;
}
