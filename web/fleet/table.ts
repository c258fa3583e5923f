// Makes the tables of the views. In a narrow window each row is a card, whose cells are labeled with their column's title.
import { element } from "../page/dom";

export interface Column<Row> {
    title: string;
    hint?: string;
    kind?: "name" | "method" | "number" | "text"; // how wide the column is, and how it is aligned
    cell: (row: Row) => (Node | string)[] | string;
}

// Makes a table. The caption is for users of screen readers. `decorate` may change the element of a row.
export function tableOf<Row>(caption: string, columns: Column<Row>[], rows: Row[],
    decorate: (row: Row, line: HTMLTableRowElement) => void = () => undefined): HTMLElement {
    const heads = columns.map(({ title, hint, kind }) =>
        element("th", { scope: "col", className: kind === "number" ? "number" : "", title: hint ?? "" }, title));
    const lines = rows.map((row) => {
        const line = element("tr", {}, ...columns.map((column) => cellOf(column, row)));
        decorate(row, line);
        return line;
    });
    return element("div", { className: "table" }, element("table", { className: "fleet" },
        element("caption", { className: "spoken" }, caption),
        element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...lines)));
}

const CLASSES = { name: "column-name", method: "column-method", number: "number", text: "column-text" };

function cellOf<Row>({ title, kind, cell }: Column<Row>, row: Row): HTMLTableCellElement {
    const content = cell(row);
    const made = element("td", { className: kind ? CLASSES[kind] : "" }, ...(typeof content === "string" ? [content] : content));
    made.dataset.label = title;
    return made;
}
