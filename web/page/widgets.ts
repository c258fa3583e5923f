// Makes parts of panels.
import { element } from "./dom";

// Makes a table with heads and rows of cells. `numbers` names the columns that contain numbers.
export function table(heads: string[], numbers: string[], rows: (Node | string)[][]): HTMLElement {
    const css = (i: number) => (numbers.includes(heads[i]) ? "number" : "");
    return element("div", { className: "table", tabIndex: 0 }, element("table", {},
        element("thead", {}, element("tr", {}, ...heads.map((head, i) => element("th", { scope: "col", className: css(i) }, head)))),
        element("tbody", {}, ...rows.map((cells) =>
            element("tr", {}, ...cells.map((cell, i) => cellOf(heads[i], css(i), cell)))))));
}

// In a very narrow window a row is a block, in which each figure follows its head.
function cellOf(head: string, className: string, content: Node | string): HTMLElement {
    const cell = element("td", { className }, content);
    cell.dataset.head = head;
    return cell;
}

export function nameIn(text: string): HTMLElement {
    return element("bdi", { dir: "ltr" }, text);
}

export function action(label: string, title: string, work: () => void): HTMLButtonElement {
    const button = element("button", { type: "button", title }, nameIn(label));
    button.addEventListener("click", work);
    return button;
}
