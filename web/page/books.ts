// The books: where the CPU time of the process went, what no sample shows, and what does not add up.
import { element } from "./dom";
import { formatCount, formatChange, formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";

// In the order of docs/formats/recording.md, which says what the accounts mean.
const ACCOUNTS = [
    { key: "complete", label: "Complete", meaning: "samples with a whole stack" },
    { key: "truncated", label: "Truncated", meaning: "samples with the top of a deeper stack" },
    { key: "failed", label: "Failed", meaning: "samples without a stack, by reason" },
    { key: "lost", label: "Lost", meaning: "expiries of the clock that left no sample, by reason" },
    { key: "unseen", label: "Unseen", meaning: "CPU time that no clock could show, by reason" },
    { key: "residual", label: "Residual", meaning: "what the accounts above do not explain" },
];

interface Reason {
    reason: string;
    ns: number;
    share: number;
}

interface Account {
    key: string;
    label: string;
    meaning: string;
    ns: number;
    share: number;
    reasons: Reason[];
}

export interface Books {
    cpu: number;
    accounts: Account[];
    others: [string, string][];
}

type Given = Record<string, unknown>;

function sumOf(value: unknown): number {
    if (typeof value === "object" && value !== null) {
        return Object.values(value).reduce((sum: number, part) => sum + sumOf(part), 0);
    }
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

// The accounts with their times in ns and shares of the CPU time. Null when there are no books or no CPU time.
export function readBooks(books: Given | null): Books | null {
    const cpu = books ? sumOf(books.cpu_ns) : 0;
    if (!books || !(cpu > 0)) {
        return null;
    }
    const accounts = ACCOUNTS.map((account) => {
        const ns = sumOf(books[account.key + "_ns"]);
        return { ...account, ns, share: ns / cpu, reasons: reasonsOf(books, account.key, cpu) };
    });
    return { cpu, accounts, others: othersOf(books, cpu) };
}

function reasonsOf(books: Given, key: string, cpu: number): Reason[] {
    const value = books[key + "_ns"];
    if (typeof value !== "object" || value === null) {
        return [];
    }
    return Object.entries(value)
        .map(([reason, part]) => ({ reason: visibleName(reason), ns: sumOf(part), share: sumOf(part) / cpu }))
        .filter(({ ns }) => ns !== 0)
        .sort((a, b) => Math.abs(b.ns) - Math.abs(a.ns));
}

// What stands beside the accounts: the profiler's own cost, the clock, and whatever else the file says about them.
function othersOf(books: Given, cpu: number): [string, string][] {
    const known = new Set(["cpu_ns", "own_cost_ns", ...ACCOUNTS.flatMap(({ key }) => [key, key + "_ns"])]);
    const rows: [string, string][] = [];
    if (typeof books.own_cost_ns === "number") {
        const share = formatShare(books.own_cost_ns / cpu);
        rows.push(["Own cost of the profiler", formatValue(books.own_cost_ns, "ns") + " (" + share + ")"]);
    }
    for (const [key, value] of Object.entries(books)) {
        if (!known.has(key) && (typeof value === "string" || typeof value === "number")) {
            rows.push([visibleName(key.replace(/_ns$/, "").replace(/_/g, " ")), shownValue(key, value)]);
        }
    }
    return rows;
}

function shownValue(key: string, value: string | number): string {
    if (typeof value === "string") {
        return visibleName(value);
    }
    return key.endsWith("_ns") ? formatValue(value, "ns") : formatCount(value);
}

// Accounts that the bar always names, and the share from which it names the others.
const ALWAYS_NAMED = ["complete", "lost", "unseen", "residual"];
const NAMED_FROM = 0.01;

// Fills the thin bar: a drawing of the accounts and, always readable, what was lost, could not be seen, does not add up, and
// the share of approximate frames (negative: unknown). `whose` of several books they are, if there are several.
export function showBooksBar({ drawing, summary }: { drawing: HTMLElement; summary: HTMLElement }, books: Books | null,
    approximate: number, whose: string): void {
    const item = (key: string, text: string) => element("span", { className: "figure " + key }, text);
    const first = whose === "" ? [] : [item("whose", whose + ":")];
    const last = approximate >= 0 ? [item("approximate", "approximate frames " + formatShare(approximate))] : [];
    if (!books) {
        drawing.replaceChildren();
        summary.replaceChildren(...first, item("none", "No books in this profile"), ...last);
        return;
    }
    drawing.replaceChildren(...books.accounts.filter((account) => account.ns !== 0).map((account) => {
        const part = element("span", { className: "part " + account.key });
        part.style.flexGrow = String(Math.abs(account.share));
        return part;
    }));
    const named = books.accounts.filter(({ key, share }) => ALWAYS_NAMED.includes(key) || share >= NAMED_FROM);
    summary.replaceChildren(
        ...first,
        item("cpu", "CPU " + formatValue(books.cpu, "ns")),
        ...named.map(({ key, share }) => item(key, key + " " + (key === "residual" ? formatChange : formatShare)(share))),
        ...last);
}

// The whole account, for the dialog.
export function booksTable(books: Books): HTMLElement[] {
    const cells = (...texts: string[]) => texts.map((text) => element("td", {}, text));
    const aside = (text: string) => element("span", { className: "meaning" }, text);
    const rows = books.accounts.flatMap(({ key, label, meaning, ns, share, reasons }) => [
        element("tr", {},
            element("th", { scope: "row" }, element("span", { className: "swatch " + key }), label, aside(meaning)),
            ...cells(formatValue(ns, "ns"), key === "residual" ? formatChange(share) : formatShare(share))),
        ...reasons.map((reason) => element("tr", { className: "reason" },
            element("th", { scope: "row" }, reason.reason),
            ...cells(formatValue(reason.ns, "ns"), formatShare(reason.share)))),
    ]);
    const total = element("tr", { className: "sum" },
        element("th", { scope: "row" }, "CPU of the process", aside("by its own clock")),
        ...cells(formatValue(books.cpu, "ns"), "100%"));
    const others = books.others.map(([label, text]) => {
        const cell = element("td", { colSpan: 2 }, text);
        return element("tr", { className: "other" }, element("th", { scope: "row" }, label), cell);
    });
    return [...rows, total, ...others];
}
