// The books: where the CPU time of the process went, what no sample shows, and what does not add up.
import { element } from "./dom.js";
import { formatCount, formatShare, formatValue } from "./figures.js";
import { visibleName } from "./names.js";

// In the order of docs/formats/recording.md, which says what the accounts mean.
const ACCOUNTS = [
    { key: "complete", label: "Complete", meaning: "samples with a whole stack" },
    { key: "truncated", label: "Truncated", meaning: "samples with the top of a deeper stack" },
    { key: "failed", label: "Failed", meaning: "samples without a stack, by reason" },
    { key: "lost", label: "Lost", meaning: "expiries of the clock that left no sample, by reason" },
    { key: "unseen", label: "Unseen", meaning: "CPU time that no clock could show, by reason" },
    { key: "residual", label: "Residual", meaning: "what the accounts above do not explain" },
];

function sumOf(value) {
    if (typeof value === "object" && value !== null) {
        return Object.values(value).reduce((sum, part) => sum + sumOf(part), 0);
    }
    return Number.isFinite(value) ? value : 0;
}

// The accounts with their times in ns and shares of the CPU time. Null when there are no books or no CPU time.
export function readBooks(books) {
    const cpu = books ? sumOf(books.cpu_ns) : 0;
    if (!(cpu > 0)) {
        return null;
    }
    const accounts = ACCOUNTS.map((account) => {
        const ns = sumOf(books[account.key + "_ns"]);
        return { ...account, ns, share: ns / cpu, reasons: reasonsOf(books, account.key, cpu) };
    });
    return { cpu, accounts, others: othersOf(books, cpu) };
}

function reasonsOf(books, key, cpu) {
    const value = books[key + "_ns"];
    if (typeof value !== "object" || value === null) {
        return [];
    }
    return Object.keys(value)
        .map((reason) => ({ reason: visibleName(reason), ns: sumOf(value[reason]), share: sumOf(value[reason]) / cpu }))
        .filter(({ ns }) => ns !== 0)
        .sort((a, b) => Math.abs(b.ns) - Math.abs(a.ns));
}

// What stands beside the accounts: the profiler's own cost, the clock, and whatever else the file says about them.
function othersOf(books, cpu) {
    const known = new Set(["cpu_ns", "own_cost_ns", ...ACCOUNTS.flatMap(({ key }) => [key, key + "_ns"])]);
    const rows = [];
    if (Number.isFinite(books.own_cost_ns)) {
        const share = formatShare(books.own_cost_ns / cpu);
        rows.push(["Own cost of the profiler", formatValue(books.own_cost_ns, "ns") + " (" + share + ")"]);
    }
    for (const [key, value] of Object.entries(books)) {
        if (!known.has(key) && (typeof value === "string" || Number.isFinite(value))) {
            rows.push([visibleName(key), shownValue(key, value)]);
        }
    }
    return rows;
}

function shownValue(key, value) {
    if (typeof value === "string") {
        return visibleName(value);
    }
    return key.endsWith("_ns") ? formatValue(value, "ns") : formatCount(value);
}

function signed(share) {
    return (share > 0 ? "+" : "") + formatShare(share);
}

// Accounts that the bar always names, and the share from which it names the others.
const ALWAYS_NAMED = ["complete", "lost", "residual"];
const NAMED_FROM = 0.01;

// Fills the thin bar: a drawing of the accounts and, always readable, residual and lost.
export function showBooksBar({ drawing, summary }, books) {
    if (!books) {
        drawing.replaceChildren();
        summary.replaceChildren("No books in this profile");
        return;
    }
    drawing.replaceChildren(...books.accounts.filter((account) => account.ns !== 0).map((account) => {
        const part = element("span", { className: "part " + account.key });
        part.style.flexGrow = String(Math.abs(account.share));
        return part;
    }));
    const item = (key, text) => element("span", { className: "figure " + key }, text);
    const named = books.accounts.filter(({ key, share }) => ALWAYS_NAMED.includes(key) || share >= NAMED_FROM);
    summary.replaceChildren(
        item("cpu", "CPU " + formatValue(books.cpu, "ns")),
        ...named.map(({ key, share }) => item(key, key + " " + (key === "residual" ? signed : formatShare)(share))));
}

// The whole account, for the dialog.
export function booksTable(books) {
    const cells = (...texts) => texts.map((text) => element("td", {}, text));
    const aside = (text) => element("span", { className: "meaning" }, text);
    const rows = books.accounts.flatMap(({ key, label, meaning, ns, share, reasons }) => [
        element("tr", {},
            element("th", { scope: "row" }, element("span", { className: "swatch " + key }), label, aside(meaning)),
            ...cells(formatValue(ns, "ns"), key === "residual" ? signed(share) : formatShare(share))),
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
