// The values of the label by which the chart is split: what each has, and two clicks that narrow every view to it or leave it out.
import { formatShare, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element } from "../page/dom";
import { Series } from "./api";
import { rateText } from "./kinds";
import { Page } from "./page";
import { link, nameOf } from "./parts";
import { quote } from "./state";
import { tableOf } from "./table";

const MOST_ROWS = 50;

// seconds: the length of the time of the series. open: whether the values are in sight.
export function explorer(page: Page, series: Series[], type: string, seconds: number, open: boolean): HTMLElement[] {
    const label = page.state.by;
    if (label === "" || series.length < 2) {
        return [];
    }
    const rows = series.map(({ value, points }) => ({ value, weight: points.reduce((sum, [, of]) => sum + of, 0) }))
        .sort((a, b) => b.weight - a.weight);
    const all = rows.reduce((sum, { weight }) => sum + weight, 0);
    const narrow = (sign: string, value: string) => page.link({ where: [...page.state.where, label + sign + quote(value)], hidden: [] });
    const choices = (value: string) => [["=", "Only", "Only "], ["!=", "Without", "Everything but "]].map(([sign, word, title]) =>
        link(word, narrow(sign, value), title + visibleName(value).slice(0, 80)));
    const rest = rows.length - MOST_ROWS;
    const summary = element("summary", {}, plural(rows.length, "value") + " of ", nameOf(label));
    const shareOf = (weight: number) => (all > 0 ? weight / all : 0);
    return [element("details", { className: "explorer", open }, summary,
        tableOf("Values of " + label, [
            { title: "Value", kind: "name", cell: ({ value }: typeof rows[number]) => (value === "" ? "(none)" : [nameOf(value)]) },
            { title: "Share", kind: "number", cell: ({ weight }) => [element("meter", { value: shareOf(weight), ariaHidden: "true" }),
                " " + formatShare(shareOf(weight))] },
            { title: "On average", kind: "number", cell: ({ weight }) => rateText(type, weight / Math.max(1, seconds)) },
            { title: "Choose", kind: "text",
                cell: ({ value }) => (value === "" ? "" : [element("span", { className: "actions" }, ...choices(value))]) },
        ], rows.slice(0, MOST_ROWS)),
        ...(rest > 0 ? [element("p", { className: "aside" }, plural(rest, "more value") + ", each with less.")] : []))];
}
