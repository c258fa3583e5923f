// Draws a key metric over time: a line with gaps where there is no data, with the axes and the choice of a part of chart.ts.
import { formatShare, formatValue } from "../model/figures";
import { Metric } from "./api";
import { Chart, Data, Layer, Listener, Place } from "./chart";
import { Scale, countText, rateText } from "./kinds";
import { Span } from "./state";
import { svg } from "./svg";

const LOW = 120; // pixels, as all sizes here
const LEAST_WIDTH = 2; // of a step, so that a single step among thousands can be seen

export interface MetricData extends Data {
    unit: string;
    longest: boolean; // the value for several minutes is their largest value, not their mean
    threshold?: number; // drawn as a line across
}

export function metricData({ unit, minutes, series }: Metric, { from, to, step }: { from: number; to: number; step: number }): MetricData {
    const first = Math.floor(from / step) * step;
    return { type: "", unit, longest: minutes === "max", step, span: { from: first, to: Math.max(to, first + step) }, series };
}

// Formats a value of a metric.
export function metricText(value: number, unit: string): string {
    switch (unit) {
        case "share": return formatShare(value);
        case "s": return formatValue(value * 1e9, "ns");
        case "bytes": return formatValue(value, "bytes");
        case "bytes/s": return rateText("alloc:bytes", value);
        default: return countText(value, unit);
    }
}

function scaleOfUnit(unit: string, most: number): Scale {
    const text = (value: number) => metricText(value, unit);
    const binary = ["B", "KiB", "MiB", "GiB", "TiB"];
    if (unit === "bytes" || unit === "bytes/s") {
        const step = Math.min(binary.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, most)) / 10)));
        return { unit: binary[step] + (unit === "bytes" ? "" : "/s"), of: (value) => value / 1024 ** step, text };
    }
    const [shown, size] = unit === "share" ? ["%", 100] : unit === "s" && most < 1 ? ["ms", 1000] : [unit, 1];
    return { unit: shown, of: (value) => value * size, text };
}

export class MetricChart extends Chart {
    constructor(name: string, on: Listener) {
        super(name, on, LOW);
    }

    // A step without a point has no value, which is not 0.
    protected override layersFor(data: Data): Layer[] {
        return data.series.map(({ value, points }, colour) => {
            const bins = new Float64Array(this.stepsOf(data)).fill(NaN);
            points.forEach(([time, of]) => {
                const at = Math.floor((time - data.span.from) / data.step);
                if (at >= 0 && at < bins.length) {
                    bins[at] = of;
                }
            });
            return { key: value, label: value, bins, total: 0, colour: colour % 8 };
        });
    }

    protected override get scale(): Scale {
        return scaleOfUnit((this.data as MetricData | null)?.unit ?? "", this.most());
    }

    protected override most(): number {
        const values = this.visible.flatMap(({ bins }) => [...bins].filter((value) => !Number.isNaN(value)));
        return Math.max(0, (this.data as MetricData | null)?.threshold ?? 0, ...values);
    }

    protected override shapes({ x, y }: Place, scale: Scale): SVGElement[] {
        const { threshold } = this.data as MetricData;
        const lines = this.visible.map(({ bins, colour }) => {
            let path = "";
            bins.forEach((value, i) => {
                if (!Number.isNaN(value)) {
                    const at = y(scale.of(value)).toFixed(1);
                    const joined = i > 0 && !Number.isNaN(bins[i - 1]);
                    path += `${joined ? "L" : "M"}${x(i).toFixed(1)} ${at}H${Math.max(x(i + 1), x(i) + LEAST_WIDTH).toFixed(1)}`;
                }
            });
            return svg("path", { d: path, class: "line colour-" + colour });
        });
        if (threshold === undefined) {
            return lines;
        }
        const at = y(scale.of(threshold));
        return [...lines, svg("line", { x1: x(0), x2: x(this.steps), y1: at, y2: at, class: "threshold" })];
    }

    // Several charts stand below each other, and have the same time.
    protected override caption(chosen: boolean, when: string, figures: string): string {
        return chosen ? when + ": " + figures : figures;
    }

    protected override figures(steps: Span | null, _span: Span, scale: Scale): string {
        const { longest } = this.data as MetricData;
        const each = this.visible.map(({ label, bins }) => {
            const some = [...(steps ? bins.subarray(steps.from, steps.to) : bins)].filter((value) => !Number.isNaN(value));
            const value = longest ? Math.max(...some) : some.reduce((sum, one) => sum + one, 0) / some.length;
            return { label, text: some.length === 0 ? "no data" : scale.text(value) };
        });
        const word = steps && steps.to - steps.from === 1 ? "" : longest ? " at most" : " on average";
        if (each.every(({ text }) => text === "no data")) {
            return "no data";
        }
        return each.slice(0, 4).map(({ label, text }) => (each.length > 1 ? label + " " : "") + text).join(", ") + word;
    }
}
