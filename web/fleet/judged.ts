// The server's answer about changes between two sides (GET /v1/changes), how certain it is, and the tables that show it. The server
// measures how much hosts differ; the browser cannot.
import { changeOf } from "../model/changes";
import { methodSums } from "../model/compare";
import { Interval, formatCount, formatShare, plural } from "../model/figures";
import { splitName } from "../model/names";
import { Profile } from "../model/profile";
import { element } from "../page/dom";
import { Answer, Parameters } from "./api";
import { CPU_TIME, rateText } from "./kinds";
import { Page } from "./page";
import { link, methodName, nameOf } from "./parts";
import { tableOf, Column } from "./table";
import { whisker } from "./whisker";
import { spanText } from "./times";

export interface Changed {
    method: string;
    line: number | null;
    figure: "self" | "total" | "line";
    verdict: string;
    innermost: boolean;
    before: number; // shares
    after: number;
    before_per_second: number;
    after_per_second: number;
    change: number | null;
    low: number | null;
    high: number | null;
    detectable: number | null;
    to?: string; // of what moved
    from?: string;
    callers?: { method: string; before: number; after: number; change: number }[];
}

export interface ChangedSide {
    select: string;
    value: string | null;
    from: number;
    to: number;
    recordings: number;
    per_second: number;
    hosts: number;
}

export interface ChangesAnswer extends Answer {
    type: string | null;
    by: string | null;
    design: "paired" | "apart" | "alone" | "none";
    reason: string | null;
    level: number;
    before: ChangedSide;
    after: ChangedSide;
    left_out: string[];
    tests: number;
    sure: number;
    changes: Changed[];
}

const UNSURE = "not sure";
const MOST = "300"; // rows of an answer; the sure ones come first
const MOST_NAMED = 3;
const MOST_HOSTS = 10;

// unsure: whether the answer must also have uncertain changes.
export function askChanges(page: Page, parameters: Parameters, unsure: boolean): Promise<ChangesAnswer> {
    return page.questions.ask<ChangesAnswer>("/v1/changes", { ...(unsure ? { all: "1" } : {}), limit: MOST, ...parameters });
}

// Whether the answer can distinguish a change from chance.
export const canJudge = ({ design }: ChangesAnswer): boolean => design !== "none";

// The rows to show: a method whose own time and whose total both changed has one, and a line that changed is named with its method.
export interface Shown {
    regressions: Changed[]; // dearer, cheaper, new or gone
    moved: Changed[]; // the cost went from one method to another one
    unsure: Changed[];
    lines: Map<string, number[]>; // by method: its lines that changed
    explained: number; // totals that changed only because of what is shown
}

const rank = (row: Changed) => Math.abs(row.change ?? 0);

export function shownOf({ changes }: ChangesAnswer): Shown {
    const sure = changes.filter(({ verdict }) => verdict !== UNSURE);
    const methods = sure.filter(({ figure, innermost }) => figure === "self" || (figure === "total" && innermost));
    const known = new Set(methods.map(({ method }) => method));
    const lines = new Map<string, number[]>();
    const alone: Changed[] = [];
    for (const row of sure.filter(({ figure }) => figure === "line")) {
        if (known.has(row.method)) {
            lines.set(row.method, [...(lines.get(row.method) ?? []), row.line ?? 0]);
        } else {
            alone.push(row);
        }
    }
    const all = [...methods, ...alone].sort((a, b) => rank(b) - rank(a));
    return {
        regressions: all.filter(({ verdict }) => verdict !== "moved"), moved: all.filter(({ verdict }) => verdict === "moved"),
        unsure: changes.filter(({ verdict, figure }) => verdict === UNSURE && figure === "self"), lines,
        explained: sure.filter(({ figure, innermost }) => figure === "total" && !innermost).length,
    };
}

export function points(change: number): string {
    return (change > 0 ? "+" : "") + formatShare(change).replace("%", " pt");
}

// Says in a sentence what surely changed.
export function judgedSentence(answer: ChangesAnswer): (Node | string)[] {
    const { regressions, moved } = shownOf(answer);
    if (!canJudge(answer)) {
        return ["Nothing can be sure here: " + (answer.reason ?? "there is too little data") + "."];
    }
    if (regressions.length + moved.length === 0) {
        return [`No method surely changed: chance explains all differences of ${plural(answer.tests, "figure")}.`];
    }
    const words = regressions.slice(0, MOST_NAMED).flatMap((row, i) => [i > 0 ? ", " : "", nameOf(splitName(row.method).method),
        ` ${formatShare(row.before)} → ${formatShare(row.after)} (${points(row.change ?? 0)})`]);
    const rest = moved.length > 0 ? `${regressions.length > 0 ? "; " : ""}the cost of ${plural(moved.length, "method")} only moved` : "";
    return [regressions.length > 0 ? plural(regressions.length, "method") + " surely changed: " : "", ...words, rest, "."];
}

const DESIGNS = {
    paired: "Each host is compared with itself.", apart: "Hosts are compared with other hosts.",
    alone: "One host is compared with itself, by parts of the time.", none: "",
};

// Describes the two sides, and how the comparison judges.
export function sidesText(page: Page, answer: ChangesAnswer): HTMLElement {
    const { zone } = page.state;
    const side = (word: string, { value, from, to, hosts, per_second: rate, recordings }: ChangedSide) => element("span", {
        className: "side" },
        element("b", {}, word + (value === null ? "" : ": ")), ...(value === null ? [] : [answer.by + " ", nameOf(value)]),
        ` · ${spanText({ from, to }, zone)} · ${plural(hosts, "host")}, ${plural(recordings, "recording")}`
        + (answer.type === CPU_TIME ? `, ${rateText(CPU_TIME, rate * 1e9)} a host` : ""));
    const { left_out: left } = answer;
    const hosts = left.slice(0, MOST_HOSTS).flatMap((host, i) => [i > 0 ? ", " : "", nameOf(host)]);
    const rest = left.length > MOST_HOSTS ? [` and ${left.length - MOST_HOSTS} more`] : [];
    const apart = left.length === 0 ? [] : [element("span", { className: "side" },
        `Not compared, because on one side only: `, ...hosts, ...rest)];
    const how = canJudge(answer) ? DESIGNS[answer.design] + ` At most ${answer.level * 100}% of the listed changes are false `
        + "alarms, on average." : "";
    return element("p", { className: "aside sides" }, side("Before", answer.before), side("After", answer.after), ...apart,
        element("span", { className: "side" }, how));
}

const WORDS: Record<string, string> = { dearer: "▲ dearer", cheaper: "▼ cheaper", new: "▲ new", gone: "▼ gone", moved: "↔ moved" };

function verdictOf({ verdict, change }: Changed): HTMLElement {
    const colour = verdict === UNSURE || verdict === "moved" ? "unsure" : (change ?? 0) > 0 ? "dearer" : "cheaper";
    return element("span", { className: "verdict " + colour }, WORDS[verdict] ?? verdict);
}

// Makes a table of changes. The method leads to `href`.
function changesTable(answer: ChangesAnswer, rows: Changed[], caption: string, lines: Map<string, number[]>,
    href: (method: string) => string): HTMLElement {
    const most = rows.reduce((top, { low, high }) => Math.max(top, Math.abs(low ?? 0), Math.abs(high ?? 0)), 0);
    const rate = (value: number) => (answer.type?.endsWith(":ns") ? rateText(answer.type, value * 1e9)
        : answer.type ? rateText(answer.type, value) : formatCount(value));
    const columns: Column<Changed>[] = [
        { title: "Method", kind: "method", cell: (row) => [link(methodName(row.method), href(row.method)), ...aside(row, lines)] },
        { title: "Verdict", cell: (row) => [verdictOf(row), ...partner(row)] },
        { title: "Before", hint: "share of all samples", kind: "number", cell: ({ before }) => formatShare(before) },
        { title: "After", hint: "share of all samples", kind: "number", cell: ({ after }) => formatShare(after) },
        {
            title: "Change", kind: "number", hint: "what the method added to the cost, in percentage points; the 95% interval",
            cell: ({ change, low, high }) => (change === null ? "–" : [points(change), " ",
                element("span", { className: "quiet" }, low === null || high === null ? "" : `(${points(low)} to ${points(high)})`)]),
        },
        { title: "Interval", hint: "the 95% interval of the change; all rows have one scale",
            cell: ({ change, low, high }) => (change === null ? [] : [whisker(change, low ?? change, high ?? change, most)]) },
        {
            title: "Least detectable", kind: "number", hint: "the smallest growth that four of five such comparisons would detect",
            cell: ({ detectable }) => (detectable === null ? "–" : points(detectable)),
        },
        {
            title: "Cost of a host", kind: "number", hint: "before and after, on an average host",
            cell: ({ before_per_second: one, after_per_second: two }) => rate(one) + " → " + rate(two),
        },
    ];
    return tableOf(caption, columns, rows, (row, line) => { line.dataset.method = row.method; });
}

// Says which figure a row shows, which lines changed, and through which callers.
function aside({ method, figure, line, callers }: Changed, lines: Map<string, number[]>): HTMLElement[] {
    const changed = figure === "line" ? [line ?? 0] : lines.get(method) ?? [];
    const numbers = changed.length === 0 ? "" : (changed.length === 1 ? "line " : "lines ") + changed.join(", ");
    const what = [figure === "total" ? "with what it calls" : "", numbers].filter((text) => text !== "").join(", ");
    const through = (callers ?? []).filter(({ change }) => Math.abs(change) >= 0.0005).slice(0, MOST_NAMED);
    const called = through.length === 0 ? [] : [element("span", { className: "quiet through" }, "through ",
        ...through.flatMap(({ method: caller, change }, i) =>
            [i > 0 ? ", " : "", nameOf(splitName(caller).method), " " + points(change)]))];
    return [...(what === "" ? [] : [element("span", { className: "quiet" }, " " + what)]), ...called];
}

function partner({ to, from }: Changed): (Node | string)[] {
    const other = to ?? from;
    return other === undefined ? [] : [element("span", { className: "quiet" }, (to === undefined ? " from " : " to "),
        nameOf(splitName(other).method))];
}

// Makes all tables: what surely changed, what only moved, and what chance explains, folded away.
export function judgedTables(answer: ChangesAnswer, href: (method: string) => string): HTMLElement[] {
    const { regressions, moved, unsure, lines, explained } = shownOf(answer);
    const table = (rows: Changed[], caption: string) => changesTable(answer, rows, caption, lines, href);
    const made: HTMLElement[] = [];
    if (regressions.length > 0) {
        made.push(element("h2", {}, "Surely changed"), table(regressions, "Methods that surely changed"));
    }
    if (moved.length > 0) {
        made.push(element("h2", {}, "Only moved: the sum of both did not change"), table(moved, "Methods whose cost moved"));
    }
    if (explained > 0) {
        made.push(element("p", { className: "aside" },
            `${plural(explained, "more total")} changed only by what is listed here.`));
    }
    if (unsure.length > 0) {
        const count = answer.tests - answer.sure;
        const first = count > unsure.length ? ` The table has the own times of ${plural(unsure.length, "method")}.` : "";
        made.push(element("details", { className: "unsure" },
            element("summary", {}, `${plural(count > 0 ? count : unsure.length, "figure")} not sure: the difference may be chance`),
            element("p", { className: "aside" }, "Nothing follows from these." + first), table(unsure, "Figures that are not sure")));
    }
    return made;
}

// Makes the viewer mark the methods of which the server is sure that they changed. The profile has both sides.
export function markJudged(profile: Profile, { changes }: ChangesAnswer): void {
    const sure = new Set(changes.filter(({ verdict }) => verdict !== UNSURE).map(({ figure, method }) => figure + " " + method));
    const { before, total, effectiveSamples } = profile;
    if (!before) {
        return;
    }
    for (const { name, self, otherSelf, total: all, otherTotal } of methodSums(profile)) {
        const given = (figure: string, value: number, other: number) => {
            const { interval } = changeOf(other / before.total, before.effectiveSamples, value / total, effectiveSamples);
            return { interval: interval ?? [-1, 1] as Interval, sure: sure.has(figure + " " + profile.strings[name]), detectable: 0 };
        };
        profile.changes.set(name, { self: given("self", self, otherSelf), total: given("total", all, otherTotal) });
    }
}
