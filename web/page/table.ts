// The table of methods beside the graph: self and total with their 95 % intervals or, of a comparison, the change.
import { Interval, formatChange, formatInterval, formatShare, formatValue, plural, wilson } from "../model/figures";
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
const INDEPENDENT = 1000;

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

function figure(text: string, interval: Interval | null, title: string): HTMLTableCellElement {
    return element("td", { title }, element("span", { className: "value" }, text),
        element("span", { className: "interval" }, interval ? formatInterval(interval) : ""));
}

function figures(app: App, { name, self, total }: Method): HTMLTableCellElement[] {
    const { scene, profile } = app;
    return ([[self, profile.effects.self], [total, profile.effects.total]] as const).map(([value, effects]) => {
        const share = value / scene.all;
        const interval = wilson(share, scene.effectiveSamples, scene.whole ? effects[name] : INDEPENDENT);
        return figure(formatShare(share), interval, formatValue(value, profile.unit));
    });
}

function changes(app: App, method: Method): HTMLTableCellElement[] {
    return (["self", "total"] as const).map((key) => {
        const { before, after, change, interval, sure } = methodChange(app, method, key);
        const cell = element("td", { title: formatShare(before) + " before, " + formatShare(after) + " after" },
            element("span", { className: "value" }, (sure ? (change > 0 ? "▲ " : "▼ ") : "") + formatChange(change)),
            element("span", { className: "interval" },
                interval ? formatChange(interval[0]) + " to " + formatChange(interval[1]) : ""));
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

function fill(app: App, methods: Method[], picked: number): void {
    const rows = (from: number, to: number) => methods.slice(from, to).map((method) => row(app, method, picked));
    byId("methods-body").replaceChildren(...rows(0, FIRST_ROWS));
    later(() => byId("methods-body").append(...rows(FIRST_ROWS, ROWS)));
}

export function showTable(app: App): void {
    const { profile, state, scene, sort, found } = app;
    byId("methods").hidden = !app.tableShown;
    const key = [scene.calls, sort, state.query, state.regex, state.width];
    if (!app.tableShown || key.every((part, i) => part === shown[i])) {
        return;
    }
    shown = key;
    const compares = profile.before !== null;
    byId("methods-body").classList.toggle("changes", compares);
    for (const [id, label] of [["self", "Self"], ["total", "Total"], ["name", "Method"]]) {
        const is = sort === id || (sort === "change" && id === "self");
        byId("sort-" + id).textContent = label + (compares && id !== "name" ? " change" : "") + (is ? " ▾" : "");
        byId("sort-" + id).parentElement?.setAttribute("aria-sort", !is ? "none" : id === "name" ? "ascending" : "descending");
    }
    const all = sorted(app.scenes.methodsOf(scene.calls), sort, profile.strings, app);
    const picked = pickedMethod(app);
    const matching = found && "names" in found && picked < 0 ? all.filter(({ name }) => found.names[name]) : all;
    fill(app, matching, picked);
    byId("methods-caption").textContent = (matching.length > ROWS ? "The first " + ROWS + " of " : "")
        + plural(matching.length, "method") + (matching !== all ? " that match" : "")
        + (compares ? ", with the 95% intervals of the change" : ", with their 95% intervals");
}
