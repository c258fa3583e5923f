// Shows the books: where the CPU time of the process went (or what else the samples measure), what no sample shows, and what does not add
// up.
import { element } from "./dom";
import { formatCount, formatChange, formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { AccountWords } from "../model/profile";

interface Reason {
    reason: string;
    value: number;
    share: number;
}

interface Account {
    key: string;
    role: string;
    label: string;
    meaning: string;
    value: number;
    share: number;
    reasons: Reason[];
}

export interface Books {
    unit: string;
    sum: number; // the sum of the accounts
    whole: { title: string; meaning: string };
    accounts: Account[];
    others: [string, string][];
}

type Given = Record<string, unknown>;

function sumOf(value: unknown): number {
    if (typeof value === "object" && value !== null) {
        const { bytes, objects } = value as Given;
        return typeof objects === "number" ? sumOf(bytes) : Object.values(value).reduce((sum: number, part) => sum + sumOf(part), 0);
    }
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

// The roles of the parts of the sum in the program's table of accounts.
const PARTS = ["seen", "failed", "lost", "unseen", "residual"];
// The reason of the account unseen that is chance.
export const NOT_DRAWN = "not_drawn";
// The reason why threads of the JVM have no stack.
const NO_JAVA = "no_java_stack";
// The account of threads that will answer at the next round; it is nearly always nothing.
const PENDING = "wall_pending";
// For books whose sum is not measured independently.
const TOGETHER = { title: "together", meaning: "the sum of these accounts" };

const labelOf = (title: string) => title.charAt(0).toUpperCase() + title.slice(1);

// Returns the accounts with their figures and their shares of the whole. Returns null if there are no books, or if they are empty.
export function readBooks(books: Given | null, words: AccountWords[]): Books | null {
    const figure = ({ keys }: AccountWords) => (books ? sumOf(books[keys[0] ?? ""]) : 0);
    const whole = words.find(({ role }) => role === "whole");
    const parts = words.filter(({ role }) => PARTS.includes(role));
    const sum = whole ? figure(whole) : parts.reduce((all, part) => all + figure(part), 0);
    if (!books || !(sum > 0)) {
        return null;
    }
    const { unit } = whole ?? parts[0];
    const accounts = parts.map((part) => {
        const { name, role, title, meaning, keys } = part;
        const value = figure(part);
        const reasons = reasonsOf(books[keys[0] ?? ""], sum);
        return { key: name, role, label: labelOf(title), meaning, value, share: value / sum, reasons };
    });
    return { unit, sum, whole: whole ?? TOGETHER, accounts, others: othersOf(books, words, sum, unit) };
}

function reasonsOf(value: unknown, sum: number): Reason[] {
    if (typeof value !== "object" || value === null || "objects" in value) {
        return [];
    }
    return Object.entries(value)
        .map(([reason, part]) => ({ reason: visibleName(reason), value: sumOf(part), share: sumOf(part) / sum }))
        .filter(({ value: part }) => part !== 0)
        .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

// Lists other facts beside the accounts: parts of accounts, such as the profiler's own cost, the clock, and further members of the file.
function othersOf(books: Given, words: AccountWords[], sum: number, unit: string): [string, string][] {
    const known = new Set<string>();
    const rows: [string, string][] = [];
    for (const account of words) {
        const value = books[account.keys[0] ?? ""];
        if (!PARTS.includes(account.role) && account.role !== "whole" && typeof value === "number") {
            const share = account.role === "within" && account.unit === unit ? " (" + formatShare(value / sum) + ")" : "";
            rows.push([labelOf(account.title), formatValue(value, account.unit) + share]);
        }
        [account.name, ...account.keys].forEach((key) => known.add(key));
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

// The bar says how much is in samples with a stack, and always names these accounts. It names others if their share is at least
// NAMED_FROM, and an account of samples with a stack only if there are several.
const ALWAYS_NAMED = ["lost", "unseen", "residual"];
const NAMED_FROM = 0.01;
// From this share on, what clocks by lot show too much or too little is mentioned.
const CHANCE_FROM = 0.0005;

// Says why there is nothing to show: the profile has no books, or a server has them, or their sum is nothing or less, as that of a
// recording can be that began beside others and was short.
export function noBooks(books: Given | null, elsewhere: boolean): string {
    return books ? "The books are empty: nothing was measured"
        : elsewhere ? "The books stay on the server: its page shows them" : "Nothing is known of what these samples miss";
}

function chanceOf(reasons: Reason[]): string {
    const share = reasons.find(({ reason }) => reason === NOT_DRAWN)?.share ?? 0;
    return Math.abs(share) >= CHANCE_FROM ? ` (${formatChange(share)} by chance: clocks by lot)` : "";
}

// The part of an account that is threads of the JVM. They have no Java frames, which is no failure.
function noJavaOf({ key, reasons }: Account): Reason | undefined {
    return key === "wall_failed" ? reasons.find(({ reason, value }) => reason === NO_JAVA && value > 0) : undefined;
}

function partsOf(account: Account): HTMLElement[] {
    const part = (css: string, value: number) => {
        const span = element("span", { className: "part " + css });
        span.style.flexGrow = String(Math.abs(value));
        return span;
    };
    const noJava = noJavaOf(account), rest = account.value - (noJava?.value ?? 0);
    return [...(noJava ? [part("jvm", noJava.value)] : []), ...(rest !== 0 ? [part(account.role + " " + account.key, rest)] : [])];
}

// Says an account in the bar. Threads of the JVM have no Java frames, which is no failure. Threads that begin or end between two rounds of
// the wall clock count too much or too little, which is chance.
function barTexts(account: Account): string[] {
    const { key, role, label, share, reasons } = account;
    const noJava = noJavaOf(account)?.share ?? 0;
    if (noJava > 0) {
        const rest = share - noJava;
        return [formatShare(noJava) + " in threads of the JVM without Java frames",
            ...(rest >= NAMED_FROM ? [label.toLowerCase() + " " + formatShare(rest)] : [])];
    }
    if (key === "wall_unseen") {
        return Math.abs(share) < CHANCE_FROM ? []
            : [formatShare(Math.abs(share)) + " too " + (share < 0 ? "much" : "little") + " by chance: threads that began or ended"];
    }
    return [label.toLowerCase() + " " + (role === "residual" ? formatChange : formatShare)(share) + chanceOf(reasons)];
}

// Fills the thin bar. It has a drawing of the accounts and, always as text, what was lost, what could not be seen, what does not add up,
// and the share of approximate frames (negative = unknown). `whose`: the profile to which the books belong, if there are several. `none`:
// what to say without books.
export function showBooksBar({ drawing, summary }: { drawing: HTMLElement; summary: HTMLElement }, books: Books | null,
    approximate: number, whose: string, none = noBooks(null, false)): void {
    const item = (key: string, text: string, title = "") => element("span", { className: "figure " + key, title }, text);
    const first = whose === "" ? [] : [item("whose", whose + ":")];
    const last = approximate >= 0 ? [item("approximate", "approximate frames " + formatShare(approximate))] : [];
    if (!books) {
        drawing.replaceChildren();
        summary.replaceChildren(...first, item("none", none), ...last);
        return;
    }
    drawing.replaceChildren(...books.accounts.filter(({ value }) => value !== 0).flatMap(partsOf));
    const seen = books.accounts.reduce((sum, { role, share }) => (role === "seen" ? sum + share : sum), 0);
    const named = books.accounts.filter(({ key, role, share }) =>
        (ALWAYS_NAMED.includes(role) && key !== PENDING) || (share >= NAMED_FROM && !(role === "seen" && share === seen)));
    summary.replaceChildren(
        ...first,
        item("cpu", labelOf(books.whole.title) + " " + formatValue(books.sum, books.unit), books.whole.meaning),
        item("seen", formatShare(seen) + " in samples with a stack"),
        ...named.flatMap((account) => barTexts(account).map((text) => item(account.key, text, account.meaning))),
        ...last);
}

// Explains a reason whose figure may be negative, so that the other accounts add up to more than the whole.
export const CHANCE = "chance: with clocks by lot, samples stand for more or less time than there was";

// Makes the complete table for the dialog.
export function booksTable(books: Books): HTMLElement[] {
    const cells = (...texts: string[]) => texts.map((text) => element("td", {}, text));
    const aside = (text: string) => element("span", { className: "meaning" }, text);
    const reasonRow = ({ reason, value, share }: Reason, isOfJvm: boolean) => element("tr", { className: "reason" },
        element("th", { scope: "row" }, ...(isOfJvm ? [element("span", { className: "swatch jvm" })] : []), reason,
            ...(reason === NOT_DRAWN ? [aside(CHANCE)] : [])),
        ...cells(formatValue(value, books.unit), formatShare(share)));
    const rows = books.accounts.flatMap((account) => {
        const { key, role, label, meaning, value, share, reasons } = account;
        const head = element("th", { scope: "row" }, element("span", { className: "swatch " + role + " " + key }), label, aside(meaning));
        const figures = cells(formatValue(value, books.unit), role === "residual" ? formatChange(share) : formatShare(share));
        return [element("tr", {}, head, ...figures), ...reasons.map((reason) => reasonRow(reason, reason === noJavaOf(account)))];
    });
    const total = element("tr", { className: "sum" },
        element("th", { scope: "row" }, labelOf(books.whole.title), aside(books.whole.meaning)),
        ...cells(formatValue(books.sum, books.unit), "100%"));
    const others = books.others.map(([label, text]) => {
        const cell = element("td", { colSpan: 2 }, text);
        return element("tr", { className: "other" }, element("th", { scope: "row" }, label), cell);
    });
    return [...rows, total, ...others];
}
