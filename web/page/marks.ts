// On the axis of time, marks the times at which all threads stood still.
import { MARK_COLOURS, Mark, drawMarks } from "../draw/marks";
import { formatValue, plural } from "../model/figures";
import { Halt } from "../model/parts";
import { Timeline } from "../model/slices";
import { Grid } from "../model/timeline";
import { App } from "./app";
import { byId, element } from "./dom";

const PAUSE = "gc_pause";

export class Marks {
    constructor(private readonly app: App) {
        byId("marks").addEventListener("click", () => app.change({ panel: "halts" }, true));
    }

    draw(slices: Timeline, { first, columns, rows, cellBuckets }: Grid): void {
        const known = slices.startNs > 0 && this.app.isOfPage;
        const halts = known ? this.app.panels?.halts?.list.filter(({ ofAll }) => ofAll) ?? [] : [];
        byId("marks").hidden = byId("marks-text").hidden = halts.length === 0;
        if (halts.length > 0) {
            const start = slices.startNs + first * slices.bucketNs;
            const at = (ns: number) => (ns - start) / (columns * rows * cellBuckets * slices.bucketNs);
            const marks: Mark[] = halts.map(({ kind, start, duration }) =>
                ({ from: at(start), to: at(start + duration), isPause: kind === PAUSE }));
            drawMarks(byId<HTMLCanvasElement>("marks"), marks, this.app.theme);
            this.tell(halts);
        }
    }

    private tell(halts: Halt[]): void {
        const pauses = halts.filter(({ kind }) => kind === PAUSE);
        const others = halts.filter(({ kind }) => kind !== PAUSE);
        const { pause, other } = MARK_COLOURS[this.app.theme];
        const item = (list: Halt[], word: string, colour: string) => {
            const swatch = element("span", { className: "swatch" });
            swatch.style.backgroundColor = colour;
            const longest = list.reduce((most, { duration }) => Math.max(most, duration), 0);
            const text = plural(list.length, word) + ", at most " + formatValue(longest, "ns");
            return list.length === 0 ? [] : [element("span", {}, swatch, text)];
        };
        byId("marks-text").replaceChildren("All threads were stopped: ",
            ...item(pauses, "GC pause", pause), ...item(others, "safepoint or VM operation", other));
    }
}
