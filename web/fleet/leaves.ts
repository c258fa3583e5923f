// Samples whose innermost frame is a class: of a lock for which threads waited, or of objects. What each class has, from the server's exact
// sums.
import { formatInterval, formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { element } from "../page/dom";
import { Answer } from "./api";
import { rateText } from "./kinds";
import { Page } from "./page";
import { className, link } from "./parts";
import { selector } from "./state";
import { Column, tableOf } from "./table";

export interface Leaf {
    name: string;
    self: number;
    self_share: number;
    self_low: number;
    self_high: number;
    self_samples: number;
}

export interface Leaves {
    type: string;
    seconds: number; // the length of the time
    list: Leaf[]; // the largest first
    missing: string;
}

const MOST_ASKED = "2000";
export const MOST_ROWS = 50;

export async function askLeaves(page: Page, type: string, span: { from: number; to: number }): Promise<Leaves> {
    const answer = await page.questions.ask<{ server: Answer; report: { methods: Leaf[] } }>("/v1/methods",
        { select: selector(page.state), type, from: String(span.from), to: String(span.to), limit: MOST_ASKED });
    return {
        type, seconds: Math.max(1, span.to - span.from), missing: answer.server.missing_text ?? "",
        list: answer.report.methods.filter(({ self }) => self > 0).sort((a, b) => b.self - a.self),
    };
}

// Makes the columns that all such tables have: the class, its weight a second, and its share with the interval.
export function leafColumns(page: Page, { type, seconds }: Leaves, title: string, rate: string): Column<Leaf>[] {
    return [
        {
            title, kind: "method", cell: ({ name }) => [link(className(name),
                page.link({ graph: new URLSearchParams({ view: "callers", query: name }).toString() }),
                "The stacks that end at " + visibleName(name))],
        },
        type.startsWith("inuse_") ? { title: "Bytes", kind: "number", hint: "alive in the samples of all recordings, added up",
            cell: ({ self }) => formatValue(self, "bytes") }
            : { title: rate, kind: "number", hint: "on average over the time", cell: ({ self }) => rateText(type, self / seconds) },
        {
            title: "Share", kind: "number", hint: "of all samples of this kind in the time; the 95% interval",
            cell: ({ self_share: share, self_low: low, self_high: high }) => [formatShare(share), element("span", { className: "quiet" },
                " (" + formatInterval([low, high]) + ")")],
        },
    ];
}

export function leafTable(caption: string, columns: Column<Leaf>[], list: Leaf[]): HTMLElement[] {
    const rest = list.length - MOST_ROWS;
    return [tableOf(caption, columns, list.slice(0, MOST_ROWS), ({ name }, line) => { line.dataset.name = name; }),
        ...(rest > 0 ? [element("p", { className: "aside" }, `${rest} more have less each.`)] : [])];
}
