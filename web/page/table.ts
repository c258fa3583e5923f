// Shows the table of methods beside the graph: self and total with their 95 % intervals or, for a comparison, the change.
import { changedWord } from "../model/changes";
import { INDEPENDENT, formatPointRange, formatPoints, formatRange, formatShare, formatValue, plural, wilson } from "../model/figures";
import { Method, sortMethods } from "../model/methods";
import { splitName, visibleName } from "../model/names";
import { exactQuery } from "../model/search";
import { App } from "./app";
import { methodChange } from "./describe";
import { afterPicture, byId, element } from "./dom";
import { remember } from "./remember";

const ROWS = 200;
const FIRST_ROWS = 40; // as many as a large window shows; the other rows are made after these are shown
const LONGEST_NAME = 400;

// Makes a button that shows class and method first, because the end of a long text is cut off.
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
        const cell = figure(formatShare(share), interval ? formatRange(interval) : "", formatValue(value, profile.unit));
        cell.className = "bar";
        cell.style.setProperty("--share", String(share));
        return cell;
    });
}

function changes(app: App, method: Method): HTMLTableCellElement[] {
    return (["self", "total"] as const).map((key) => {
        const { before, after, change, interval, sure, detectable } = methodChange(app, method, key);
        const least = detectable > 0 ? ", least " + formatPoints(detectable) : ""; // growth that would be noticed
        const cell = figure((sure ? (change > 0 ? "▲ " : "▼ ") : "") + formatPoints(change),
            interval ? formatPointRange(interval) : "",
            formatShare(before) + " before, " + formatShare(after) + " after" + least);
        cell.append(element("span", { className: "sides" }, formatShare(before) + " → " + formatShare(after) + least));
        cell.classList.toggle("unsure", !sure);
        return cell;
    });
}

const sorted = remember((methods: Method[], sort: App["sort"], strings: string[], app: App) =>
    sortMethods(methods, sort, strings, (method) => {
        const { change, sure } = methodChange(app, method, "self");
        return sure ? change + Math.sign(change) : change;
    }));

// Returns the method whose exact name is the query, or -1. Its row is marked. Any other query filters the table.
export function pickedMethod({ profile, state, scenes, scene }: App): number {
    const same = ({ name }: Method) => exactQuery(profile.strings[name]) === state.query;
    const picked = state.regex && state.query.startsWith("^") ? scenes.methodsOf(scene.calls).find(same) : undefined;
    return picked ? picked.name : -1;
}

let shown: unknown[] = [];
let listed: Method[] = [];
let listedFolds = false;
const later = afterPicture();

function row(app: App, method: Method): HTMLTableRowElement {
    const button = methodButton(app.profile.strings[method.name]);
    button.dataset.name = String(method.name);
    return element("tr", {},
        ...(app.profile.before !== null ? changes(app, method) : figures(app, method)), element("td", {}, button));
}

function mark(picked: number): void {
    for (const button of byId("methods-body").querySelectorAll("button")) {
        const is = Number(button.dataset.name) === picked;
        button.setAttribute("aria-pressed", String(is));
        button.closest("tr")?.classList.toggle("picked", is);
        if (is) {
            button.scrollIntoView({ block: "nearest" });
        }
    }
}

// Whether chance explains the changes of a method.
function isUnsure(app: App, method: Method): boolean {
    return !methodChange(app, method, "self").sure && !methodChange(app, method, "total").sure;
}

// Shows how many methods are left out, and the button that shows or hides them.
function showFold({ profile, state, found }: App, left: number): void {
    byId("unsure").hidden = profile.before === null || found !== null || (left === 0 && !state.unsure);
    byId("unsure").textContent = state.unsure ? "Hide what chance may explain" : plural(left, "further method") + ": not sure";
    byId("unsure").setAttribute("aria-expanded", String(state.unsure));
}

// Returns the methods in the table. If a method was picked that is among the first rows, these are all methods, so that its neighbors stay.
// Otherwise, these are the methods that the search found.
function methodsListed(app: App, picked: number): Method[] {
    const { profile, scene, sort, found } = app;
    const all = sorted(app.scenes.methodsOf(scene.calls), sort, profile.strings, app);
    const isAmongFirst = picked >= 0 && all.slice(0, ROWS).some(({ name }) => name === picked);
    return found && "names" in found && !isAmongFirst ? all.filter(({ name }) => found.names[name]) : all;
}

function fill(app: App, first: number): void {
    const { profile } = app;
    const picked = pickedMethod(app);
    const all = app.scenes.methodsOf(app.scene.calls).length;
    const some = methodsListed(app, picked);
    const folds = profile.before !== null && !app.state.unsure && !app.found;
    if (some === listed && folds === listedFolds) {
        mark(picked);
        return;
    }
    listed = some;
    listedFolds = folds;
    const matching = folds ? some.filter((method) => !isUnsure(app, method)) : some;
    showFold(app, some.length - matching.length);
    const rows = (from: number, to: number) => matching.slice(from, to).map((method) => row(app, method));
    const body = byId("methods-body");
    const { activeElement: active } = document;
    const focused = active instanceof HTMLElement && body.contains(active) ? active.dataset.name : undefined;
    body.replaceChildren(...rows(0, first));
    if (focused !== undefined) {
        (body.querySelector<HTMLElement>(`button[data-name="${focused}"]`) ?? body.querySelector("button"))?.focus();
    }
    mark(picked);
    later(() => {
        body.append(...rows(first, ROWS));
        mark(pickedMethod(app));
    });
    const which = some.length < all ? " that match" : folds ? " that " + changedWord(profile) : "";
    byId("methods-caption").textContent = (matching.length > ROWS ? "The first " + ROWS + " of " : "")
        + (folds && matching.length === 0 ? "No method " + changedWord(profile) : plural(matching.length, "method") + which)
        + (profile.before ? ": the change with its 95% interval, before → after, the least growth that would be noticed"
            : ", with their 95% intervals");
}

export function showTable(app: App): void {
    const { profile, state, scene, sort } = app;
    byId("methods").hidden = !app.tableShown;
    const key = [scene.calls, sort, state.query, state.regex, state.width, state.unsure];
    if (!app.tableShown || key.every((part, i) => part === shown[i])) {
        return;
    }
    const first = shown.length === 0 && document.documentElement.dataset.ready === undefined;
    shown = key;
    const compares = profile.before !== null;
    byId("methods").classList.toggle("changes", compares);
    for (const [id, label] of [["self", "Self"], ["total", "Total"], ["name", "Method"]]) {
        const is = sort === id || (sort === "change" && id === "self");
        byId("sort-" + id).textContent = label + (compares && id !== "name" ? " change" : "") + (is ? " ▾" : "");
        byId("sort-" + id).parentElement?.setAttribute("aria-sort", !is ? "none" : id === "name" ? "ascending" : "descending");
    }
    if (first) {
        later(() => fill(app, ROWS)); // so that the page's first picture need not wait for the sums of all methods
    } else {
        fill(app, FIRST_ROWS);
    }
}
