// Parts that several views use.
import { formatShare } from "../model/figures";
import { splitName, visibleName } from "../model/names";
import { NOT_DRAWN } from "../page/books";
import { byId, element } from "../page/dom";
import { AnswerError, Books, FORBIDDEN } from "./api";
import { Page } from "./page";
import { Span, spanOf, textOfSpan } from "./state";
import { lengthText, spanText } from "./times";

const BESIDE_BAR = 8; // pixels
const LONGEST = 120; // characters; a longer name is cut in the middle, because its end distinguishes it from others
const END = 48;
const LONGEST_HINT = 2000;

// Puts versions, and other texts with numbers, in order: 0.9 before 0.10.
export const versions = new Intl.Collator("en", { numeric: true });

// Lets a line end between the class and the method.
function brokenAtDot(name: string): (Node | string)[] {
    const at = name.lastIndexOf(".") + 1;
    return at > 0 ? [name.slice(0, at), element("wbr", {}), name.slice(at)] : [name];
}

export function nameOf(text: string): HTMLElement {
    const name = visibleName(text);
    return name.length <= LONGEST ? element("bdi", { dir: "ltr" }, ...brokenAtDot(name))
        : element("bdi", { dir: "ltr", title: name.slice(0, LONGEST_HINT) }, name.slice(0, LONGEST - END - 1) + "…" + name.slice(-END));
}

// Shows the name of a class: without its package first, the package after it.
export function className(name: string): HTMLElement {
    const at = name.lastIndexOf(".") + 1;
    return twoParts(name, name.slice(at), name.slice(0, Math.max(0, at - 1)));
}

// Shows the name of a method: class and method first, the package after it.
export function methodName(name: string): HTMLElement {
    const { method, package: of } = splitName(name);
    return twoParts(name, method, of);
}

function twoParts(name: string, first: string, second: string): HTMLElement {
    return element("span", { className: "method-name", title: visibleName(name).slice(0, LONGEST_HINT) }, nameOf(first),
        ...(second === "" ? [] : [" ", element("span", { className: "quiet" }, nameOf(second))]));
}

export function link(text: Node | string, href: string, title = ""): HTMLAnchorElement {
    return element("a", { href, title }, text);
}

// Says why the server did not do something. needs: the scopes that a token needs for it.
export function refusal(error: unknown, needs: string): string {
    return error instanceof AnswerError && error.status === FORBIDDEN ? `Not permitted: this needs a token with ${needs}.`
        : visibleName(error instanceof Error ? error.message : String(error));
}

// Marks a figure from which data is missing.
export function partialMark(missing: string | undefined): HTMLElement {
    return element("span", { className: "partial", title: missing ?? "data is missing" }, "incomplete",
        element("span", { className: "spoken" }, ": " + (missing ?? "data is missing")));
}

// Returns the share of the whole that has samples, or null if there are no books. Clocks by lot show too much or too little by chance,
// which says nothing about the coverage.
export function coverageOf(books: Books | null): number | null {
    const sum = (...roles: string[]) => (books?.lines ?? []).reduce((n, { role, amount }) => (roles.includes(role) ? n + amount : n), 0);
    const chance = (books?.lines ?? []).reduce((n, { reason, amount }) => (reason === NOT_DRAWN ? n + amount : n), 0);
    const whole = sum("whole") || sum("seen", "failed", "lost", "unseen", "residual");
    return whole > 0 ? (sum("seen", "failed") + chance) / whole : null;
}

// Says how much of the whole was sampled, and what became of the rest.
export function coverageText(books: Books | null): string {
    const share = coverageOf(books);
    return books === null || share === null ? "No coverage data: these recordings do not say how much they missed"
        : formatShare(share) + " sampled: " + books.text;
}

// A bar that says which part of the time is in sight, with a way back.
export function partBar(page: Page, key: "part" | "other", hint: string): HTMLElement {
    const span = spanOf(page.state[key]);
    if (!span) {
        return element("p", { className: "part-bar", hidden: true });
    }
    const all = element("button", { type: "button" }, "Whole range");
    all.addEventListener("click", () => page.change({ [key]: "" }));
    const only = element("button", { type: "button" }, "Zoom in");
    only.addEventListener("click", () => page.change({ from: span.from, to: span.to, part: "" }));
    return element("p", { className: "part-bar" },
        hint + spanText(span, page.state.zone) + " (" + lengthText(span) + ") ", ...(key === "part" ? [only, " "] : []), all);
}

export function choosePart(page: Page, key: "part" | "other"): (span: Span | null) => void {
    return (span) => page.change({ [key]: textOfSpan(span) });
}

// Says why there is nothing, and what to do next.
export function emptyState(title: string, text: string, command: string): HTMLElement {
    return element("section", { className: "nothing" }, element("h2", {}, title), element("p", {}, text),
        ...(command === "" ? [] : [element("pre", { tabIndex: 0 }, command)]));
}

// Scrolls to an element that answers what the user has just done. The bar may stay on top of the page.
export function bringIntoSight(of: HTMLElement): void {
    const { bottom } = byId("bar").getBoundingClientRect();
    window.scrollBy(0, of.getBoundingClientRect().top - Math.max(0, bottom) - BESIDE_BAR);
}

export function skeleton(rows: number): HTMLElement {
    const root = element("div", { className: "skeleton", ariaHidden: "true" });
    root.append(...Array.from({ length: rows }, () => element("span", {})));
    return root;
}

// Control characters are spelled out; the ends of lines stay.
export function visibleLines(text: string): string {
    return text.split("\n").map((line) => (line === "" ? "" : visibleName(line))).join("\n");
}
