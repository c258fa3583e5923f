// Shows the state of the app in everything on the page but the graph itself.
import { byId, element } from "./dom.js";
import { describeFrame, nameOf } from "./describe.js";
import { formatShare, plural, formatCount } from "./figures.js";
import { visibleName } from "./names.js";
import { exactQuery } from "./search.js";
import { showMethods } from "./table.js";
import { pathTo } from "./tree.js";

// Crumbs at the end of a long path; the ones between these and the root are counted.
const LAST_CRUMBS = 3;
const LONGEST_CRUMB = 200;
const LONGEST_LABEL = 100;
const LONGEST_NAME = 500;
const LONGEST_TITLE = 1000;

export function showPage(app) {
    document.documentElement.dataset.theme = app.theme;
    showControls(app);
    showFound(app);
    showCrumbs(app);
    showLegend(app);
    showTable(app);
    showDetails(app);
    showNotes(app);
}

function showControls({ state, tableShown }) {
    const press = (id, is) => byId(id).setAttribute("aria-pressed", String(is));
    press("flip", state.flip);
    press("callers", state.view === "callers");
    press("methods-toggle", tableShown);
    byId("colour").value = state.colour;
    byId("theme").value = state.theme;
    byId("regex").checked = state.regex;
    byId("reset").disabled = state.zoom === 0;
    if (byId("query").value !== state.query) {
        byId("query").value = state.query;
    }
}

function showFound(app) {
    const { found } = app;
    const output = byId("found");
    const wrong = Boolean(found && found.error);
    output.classList.toggle("wrong", wrong);
    byId("query").setAttribute("aria-invalid", String(wrong));
    const some = Boolean(found && found.found && found.found.frames > 0);
    byId("next").disabled = byId("previous").disabled = !some;
    output.textContent = foundText(app, found);
}

function foundText({ profile, position }, found) {
    if (!found) {
        return "";
    }
    if (found.error) {
        return "Not a regular expression: " + found.error;
    }
    const { frames, methods } = found.found;
    if (frames === 0) {
        return "No match";
    }
    const of = position > 0 ? formatCount(position) + " of " : "";
    const share = formatShare(found.weight / profile.tree.total[0]);
    return of + plural(frames, "frame") + " · " + plural(methods, "method") + " · " + share;
}

function showCrumbs({ profile, tree, state }) {
    const path = pathTo(tree, state.zoom);
    const surplus = path.length - 1 - LAST_CRUMBS;
    const hidden = surplus > 1 ? surplus : 0;
    const crumb = (frame) => {
        const name = nameOf(profile, tree, frame);
        const text = element("bdi", { dir: "ltr" }, name.slice(0, LONGEST_CRUMB));
        const button = element("button", { type: "button", title: name.slice(0, LONGEST_TITLE) }, text);
        button.dataset.frame = frame;
        if (frame === state.zoom) {
            button.setAttribute("aria-current", "location");
        }
        return element("li", {}, button);
    };
    const gap = element("li", { className: "gap" }, element("span", {}, "… " + plural(hidden, "frame") + " …"));
    byId("crumbs").replaceChildren(crumb(0), ...(hidden > 0 ? [gap] : []), ...path.slice(1 + hidden).map(crumb));
}

let legendShown = "";

function showLegend(app) {
    const key = app.state.colour + app.theme;
    if (key === legendShown) {
        return;
    }
    legendShown = key;
    const { groups } = app.groups(app.state.colour);
    const { colours } = app.look;
    byId("legend-title").textContent = (app.state.colour === "type" ? "frame type" : "package") + ", by self time";
    byId("legend-list").replaceChildren(...groups.map(({ label, self }, i) => {
        const swatch = element("span", { className: "swatch" });
        swatch.style.backgroundColor = colours[i];
        const share = formatShare(self / app.profile.tree.total[0]);
        return element("li", {}, swatch, element("bdi", {}, label.slice(0, LONGEST_LABEL)), " " + share);
    }));
}

let tableShown = "";

function showTable(app) {
    const { profile, state, found } = app;
    byId("methods").hidden = !app.tableShown;
    const key = JSON.stringify([state.sort, state.query, state.regex]);
    if (!app.tableShown || key === tableShown) {
        return;
    }
    tableShown = key;
    for (const sort of ["self", "total"]) {
        byId("sort-" + sort).textContent = (sort === "self" ? "Self" : "Total") + (state.sort === sort ? " ▾" : "");
        byId("sort-" + sort).parentElement.setAttribute("aria-sort", state.sort === sort ? "descending" : "none");
    }
    const all = app.sortedMethods(state.sort);
    const picked = pickedMethod(app);
    const matching = found && found.names && picked < 0 ? all.filter(({ name }) => found.names[name]) : all;
    const caption = showMethods(byId("methods-body"), profile, matching, picked);
    byId("methods-caption").textContent = caption + (matching !== all ? " that match" : "");
}

// The method of which the query is the exact name, or -1. Its row is marked; any other query filters the table.
export function pickedMethod({ profile, state, methods }) {
    const same = ({ name }) => exactQuery(profile.strings[name]) === state.query;
    const picked = state.regex && state.query.startsWith("^") ? methods().find(same) : undefined;
    return picked ? picked.name : -1;
}

function showDetails({ profile, tree, state }) {
    const frame = state.selected;
    byId("find").hidden = byId("copy").hidden = frame <= 0;
    if (frame < 0) {
        byId("details-text").textContent = "No frame selected. Click a frame, or use the arrow keys on the graph.";
        return;
    }
    const { name, type, rows } = describeFrame(profile, tree, frame, state);
    const shown = { className: "name", dir: "ltr", title: name.slice(0, LONGEST_TITLE) };
    const figures = rows.map(({ label, value, share, interval }) =>
        element("span", {}, label + " " + value + ", " + share + " (" + interval + ")"));
    byId("details-text").replaceChildren(
        element("bdi", shown, name.slice(0, LONGEST_NAME)), element("span", {}, type), ...figures);
}

function showNotes(app) {
    const notes = [...app.profile.notes];
    if (app.state.view === "callers" && app.callers().cut > 0) {
        notes.push("Callers of frames below " + app.callers().cut * 100 + "% of the time are not followed further.");
    }
    byId("notes").hidden = notes.length === 0;
    byId("notes").replaceChildren(...notes.map((note) => element("li", {}, note)));
}

export function showTitle(profile) {
    const title = visibleName(profile.title);
    const interval = profile.samples > 0 ? " · " + plural(profile.samples, "sample") : "";
    document.title = title.slice(0, 200) + " · Candor";
    byId("title").textContent = title.slice(0, 300) + interval;
    byId("title").title = title.slice(0, LONGEST_TITLE);
}

// In place of a graph: why there is none.
export function showEmpty(title, text) {
    byId("graph").hidden = true;
    byId("empty").hidden = false;
    byId("empty-title").textContent = title;
    byId("empty-text").textContent = text;
}
