// The table of methods beside the graph: self and total with their 95 % intervals or, of a comparison, the change.
import { INDEPENDENT, formatChange, formatRange, formatShare, formatValue, plural, wilson } from "../model/figures";
import { Method, sortMethods } from "../model/methods";
import { splitName, visibleName } from "../model/names";
import { exactQuery } from "../model/search";
import { App } from "./app";
import { methodChange } from "./describe";
import { afterPicture, byId, element } from "./dom";
import { remember } from "./remember";

const ROWS = 200;
const FIRST_ROWS = 40; // as many as a large window shows: the others can wait until these are seen
const LONGEST_NAME = 400;

// Class and method first, because the end of a long text is cut.
function methodButton(name: string): HTMLButtonElement {
    const text = name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) + "…" : name;
    const parts = splitName(text);
    const button = element("button", { type: "button", title: visibleName(text), className: "method" },
        element("bdi", { dir: "ltr" }, visibleName(parts.method)),
        element("bdi", { dir: "ltr", className: "package" }, parts.package === "" ? "" : visibleName(parts.package)));
    button.setAttribute("aria-label", visibleName(text));
    return button;
}

function figure(text: string, interval: string, title: string): HTMLTableCellElement {
    return element("td", { title }, element("span", { className: "value" }, text), " ",
        element("span", { className: "interval" }, interval));
}

function figures(app: App, { name, self, total }: Method): HTMLTableCellElement[] {
    const { scene, profile } = app;
    return ([[self, profile.effects.self], [total, profile.effects.total]] as const).map(([value, effects]) => {
        const share = value / scene.all;
        const interval = wilson(share, scene.effectiveSamples, scene.whole ? effects[name] : INDEPENDENT);
        return figure(formatShare(share), interval ? formatRange(interval) : "", formatValue(value, profile.unit));
    });
}

function changes(app: App, method: Method): HTMLTableCellElement[] {
    return (["self", "total"] as const).map((key) => {
        const { before, after, change, interval, sure } = methodChange(app, method, key);
        const cell = figure((sure ? (change > 0 ? "▲ " : "▼ ") : "") + formatChange(change),
            interval ? formatChange(interval[0]) + " to " + formatChange(interval[1]) : "",
            formatShare(before) + " before, " + formatShare(after) + " after");
        cell.classList.toggle("unsure", !sure);
        return cell;
    });
}

const sorted = remember((methods: Method[], sort: App["sort"], strings: string[], app: App) =>
    sortMethods(methods, sort, strings, (method) => {
        const { change, sure } = methodChange(app, method, "self");
        return sure ? change + Math.sign(change) : change;
    }));

// The method of which the query is the exact name, or -1. Its row is marked; any other query filters the table.
export function pickedMethod({ profile, state, scenes, scene }: App): number {
    const same = ({ name }: Method) => exactQuery(profile.strings[name]) === state.query;
    const picked = state.regex && state.query.startsWith("^") ? scenes.methodsOf(scene.calls).find(same) : undefined;
    return picked ? picked.name : -1;
}

let shown: unknown[] = [];
const later = afterPicture();

function row(app: App, method: Method, picked: number): HTMLTableRowElement {
    const button = methodButton(app.profile.strings[method.name]);
    button.dataset.name = String(method.name);
    button.setAttribute("aria-pressed", String(method.name === picked));
    return element("tr", { className: method.name === picked ? "picked" : "" },
        ...(app.profile.before !== null ? changes(app, method) : figures(app, method)), element("td", {}, button));
}

function fill(app: App, first: number): void {
    const { profile, state, scene, sort, found } = app;
    const all = sorted(app.scenes.methodsOf(scene.calls), sort, profile.strings, app);
    const picked = pickedMethod(app);
    const matching = found && "names" in found && picked < 0 ? all.filter(({ name }) => found.names[name]) : all;
    const rows = (from: number, to: number) => matching.slice(from, to).map((method) => row(app, method, picked));
    byId("methods-body").replaceChildren(...rows(0, first));
    later(() => byId("methods-body").append(...rows(first, ROWS)));
    byId("methods-caption").textContent = (matching.length > ROWS ? "The first " + ROWS + " of " : "")
        + plural(matching.length, "method") + (matching !== all ? " that match" : "")
        + (profile.before ? ", with the 95% intervals of the change" : ", with their 95% intervals");
}

export function showTable(app: App): void {
    const { profile, state, scene, sort } = app;
    byId("methods").hidden = !app.tableShown;
    const key = [scene.calls, sort, state.query, state.regex, state.width];
    if (!app.tableShown || key.every((part, i) => part === shown[i])) {
        return;
    }
    const first = shown.length === 0;
    shown = key;
    const compares = profile.before !== null;
    byId("methods").classList.toggle("changes", compares);
    for (const [id, label] of [["self", "Self"], ["total", "Total"], ["name", "Method"]]) {
        const is = sort === id || (sort === "change" && id === "self");
        byId("sort-" + id).textContent = label + (compares && id !== "name" ? " change" : "") + (is ? " ▾" : "");
        byId("sort-" + id).parentElement?.setAttribute("aria-sort", !is ? "none" : id === "name" ? "ascending" : "descending");
    }
    if (first) {
        later(() => fill(app, ROWS)); // the page's first picture does not wait for the sums of all methods
    } else {
        fill(app, FIRST_ROWS);
    }
}
