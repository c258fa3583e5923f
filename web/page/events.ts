// The single events of threads, and the spans for which they worked, as the lanes show them: where they are on the axis, which one is under
// the pointer, and what a click on it chooses.
import { Event, SPAN, lookOfKind } from "../draw/lanes";
import { clockOf } from "../model/clock";
import { formatValue } from "../model/figures";
import { Row } from "../model/lanes";
import { Marks, byThread, readMarks } from "../model/marks";
import { visibleName } from "../model/names";
import { Timeline } from "../model/slices";
import { SpanRow } from "../model/spans";
import { App } from "./app";
import { chooseTime, haltWord } from "./halts";
import { remember } from "./remember";
import { inWords, nameOfWork } from "./traces";

const LONGEST_NAME = 200;
const MILLISECOND = 1e6;

// What is under the pointer.
export interface Pointed {
    text: string;
    choose: () => void;
}

const short = (name: string): string => visibleName(name).slice(0, LONGEST_NAME);

export class Events {
    marks: Marks | null = null;
    private ofThread = new Map<string, number[]>();
    private readonly spansByThread = remember((rows: SpanRow[]) => {
        const lists = new Map<string, SpanRow[]>();
        rows.forEach((row) => {
            const list = lists.get(row.thread);
            list ? list.push(row) : lists.set(row.thread, [row]);
        });
        return lists;
    });

    constructor(private readonly app: App, redraw: () => void) {
        // A page without the events, or with damaged ones, has the lanes all the same.
        app.eachParts((part) => {
            this.marks = null;
            app.readBeside.push(readMarks(part("marks")).catch(() => null).then((marks) => {
                if (part === app.parts) {
                    this.marks = marks;
                    this.ofThread = marks ? byThread(marks) : new Map();
                    redraw();
                }
            }));
        });
    }

    // Whether the events of this page belong to the profile that is shown, by their times.
    private fits({ startNs }: Timeline): boolean {
        return startNs > 0 && this.app.isOfPage;
    }

    private marksOf(slices: Timeline, { threads }: Row): number[] {
        return this.fits(slices) ? threads.flatMap((thread) => this.ofThread.get(slices.threads[thread]) ?? []) : [];
    }

    private spansOf(slices: Timeline, { threads }: Row): SpanRow[] {
        const lists = this.spansByThread(this.app.panels?.spans?.rows ?? []);
        return this.fits(slices) ? threads.flatMap((thread) => lists.get(slices.threads[thread]) ?? []) : [];
    }

    // The events and spans of a row that are within a time, by their places on an axis with that time.
    within(slices: Timeline, row: Row, start: number, length: number): Event[] {
        const { marks } = this;
        const place = (from: number, to: number, look: number): Event =>
            ({ from: (from - start) / length, to: (to - start) / length, look });
        const events = !marks ? [] : this.marksOf(slices, row).map((i) =>
            place(marks.start[i], marks.start[i] + marks.length[i], lookOfKind(marks.kinds[marks.kind[i]])));
        const spans = this.spansOf(slices, row).map(({ from, to }) => place(from, to, SPAN));
        return [...events, ...spans].filter(({ from, to }) => to >= 0 && from <= 1);
    }

    // The shortest event within a time, or else the shortest span; `onSpan`: only a span.
    under(slices: Timeline, row: Row, from: number, to: number, onSpan: boolean): Pointed | null {
        const { marks } = this;
        const event = !marks || onSpan ? -1 : this.marksOf(slices, row)
            .filter((i) => marks.start[i] <= to && marks.start[i] + marks.length[i] >= from)
            .reduce((best, i) => (best < 0 || marks.length[i] < marks.length[best] ? i : best), -1);
        if (marks && event >= 0) {
            return this.mark(marks, event);
        }
        const [span] = this.spansOf(slices, row).filter((one) => one.from <= to && one.to >= from)
            .sort((a, b) => (a.to - a.from) - (b.to - b.from));
        return span ? this.span(span) : null;
    }

    private mark(marks: Marks, i: number): Pointed {
        const what = marks.texts[marks.what[i]];
        return {
            text: clockOf(marks.start[i], MILLISECOND) + ", " + short(marks.texts[marks.thread[i]]) + ": "
                + haltWord(marks.kinds[marks.kind[i]]) + (what ? ", " + short(what) : "")
                + (marks.length[i] > 0 ? ", " + formatValue(marks.length[i], "ns") : ""),
            choose: () => chooseTime(this.app, marks.start[i], marks.length[i]),
        };
    }

    private span(span: SpanRow): Pointed {
        const { from, to, thread } = span;
        return {
            text: clockOf(from, MILLISECOND) + ", " + short(thread) + ": span of " + nameOfWork(span) + ", "
                + inWords(span),
            choose: () => chooseTime(this.app, from, to - from, 0, [thread]),
        };
    }
}
