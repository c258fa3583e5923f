// The coverage pill: the share of the whole (such as CPU time) that has samples. A click opens the books in plain words.
import { formatChange, formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { CHANCE, NOT_DRAWN } from "../page/books";
import { byId, element } from "../page/dom";
import { Books } from "./api";
import { coverageOf } from "./parts";

// The parts of the whole, in the order in which they are shown.
const ROLES: [string, string, string][] = [
    ["seen", "Shown", "samples with a stack: the graphs and tables are made of these"],
    ["failed", "Without a stack", "samples whose stack could not be walked; they count, but their methods are unknown"],
    ["lost", "Lost", "samples that were due and never came, for instance because a queue was full"],
    ["unseen", "Not visible", "time in which no clock could take a sample, for instance in the kernel where that is not permitted"],
    ["residual", "Unexplained", "what is left when all of the above is subtracted from what the system measured"],
];

export function coveragePill(books: Books | null, unit: string): HTMLElement {
    const share = coverageOf(books);
    if (books === null || share === null) {
        return element("span", { className: "pill quiet", title: "These recordings do not say how much they missed" }, "coverage unknown");
    }
    const pill = element("button", { type: "button", className: "pill" }, formatShare(share) + " sampled");
    pill.title = "What the samples show, and what they do not";
    pill.setAttribute("aria-haspopup", "dialog");
    pill.addEventListener("click", () => openBooks(books, unit, share));
    return pill;
}

function openBooks(books: Books, unit: string, share: number): void {
    const dialog = byId<HTMLDialogElement>("bar-books");
    const sum = (role: string) => books.lines.reduce((all, line) => (line.role === role ? all + line.amount : all), 0);
    const whole = sum("whole") || ROLES.reduce((all, [role]) => all + sum(role), 0);
    const row = (className: string, head: (Node | string)[], amount: number, part: string) => element("tr", { className },
        element("th", { scope: "row" }, ...head), element("td", {}, formatValue(amount, unit)), element("td", {}, part));
    const rows = ROLES.flatMap(([role, title, meaning]) => {
        const format = role === "residual" ? formatChange : formatShare;
        const reasons = books.lines.filter((line) => line.role === role && line.reason !== "" && line.amount !== 0)
            .sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
        return [row("", [title, element("span", { className: "meaning" }, meaning)], sum(role), format(sum(role) / whole)),
            ...reasons.map(({ reason, amount }) =>
                row("reason", [visibleName(reason.replace(/_/g, " ")), ...(reason === NOT_DRAWN
                    ? [element("span", { className: "meaning" }, CHANCE)] : [])], amount, format(amount / whole)))];
    });
    const cost = books.lines.find(({ account }) => account === "own_cost");
    byId("bar-books-text").textContent = `Of ${formatValue(whole, unit)}, ${formatShare(share)} was sampled, by ${books.recordings} `
        + `recording${books.recordings === 1 ? "" : "s"}. `
        + (cost ? `Candor itself used ${formatValue(cost.amount, unit)} of it, ${formatShare(cost.amount / whole)}.` : "");
    byId("bar-books-body").replaceChildren(...rows, row("sum", ["All"], whole, "100%"));
    dialog.showModal();
    byId("bar-books-heading").focus();
}
