// Shows the state of the app in all parts of the page except the graphs, the table and the timeline.
import { CHANGE_LABELS, Groups, groupFrames, paint, paintChanges, sumGroups } from "../draw/colours";
import { formatCount, formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { Profile } from "../model/profile";
import { sourceOf } from "../model/source";
import { pathTo } from "../model/tree";
import { showAnswer } from "./answer";
import { App, PaneName } from "./app";
import { booksTable, noBooks, readBooks, showBooksBar } from "./books";
import { hasCode } from "./code";
import { describeFrame, nameOf } from "./describe";
import { byId, element } from "./dom";
import { showHead } from "./head";
import { remember } from "./remember";
import { COARSE, showSight } from "./sight";
import { hasLines } from "./sourcelines";
import { showTable } from "./table";
import { action } from "./widgets";

// The number of crumbs at the end of a long path. The crumbs between these and the root are only counted.
const LAST_CRUMBS = 3;
const LONGEST_CRUMB = 200;
const LONGEST_LABEL = 100;
const LONGEST_NAME = 500;
const LONGEST_TITLE = 1000;
const MOST_PACKAGES = 9; // in the legend

export function showPage(app: App): void {
    document.documentElement.dataset.theme = app.theme;
    app.kinds.show(app);
    showTitle(app.profile);
    showHead(app.profile);
    showControls(app);
    showAnswer(app);
    showFound(app);
    showSight(app);
    showCrumbs(app);
    showLegend(app);
    showTable(app);
    showBooks(app.profile, app.state.width);
    showDetails(app);
    showNotes(app);
}

function showControls(app: App): void {
    const { state, scenes } = app;
    const press = (id: string, is: boolean) => byId(id).setAttribute("aria-pressed", String(is));
    press("flip", state.flip);
    press("fold", scenes.ownFirst(state));
    press("callers", state.view === "callers");
    press("by-thread", scenes.byThread(state));
    press("in-time", scenes.inTime(state));
    for (const id of ["by-thread", "chains"]) {
        byId<HTMLButtonElement>(id).disabled = scenes.inTime(state); // time order has a frame per thread, and folds no chains
    }
    press("recursion", state.recursion);
    press("chains", state.chains);
    press("methods-toggle", app.tableShown);
    press("graph-toggle", app.graphShown);
    byId("viewer").classList.toggle("no-graph", !app.graphShown);
    press("timeline-toggle", app.timelineShown);
    byId<HTMLSelectElement>("colour").value = app.colour;
    byId<HTMLSelectElement>("width").value = state.width;
    byId<HTMLSelectElement>("theme").value = state.theme;
    byId<HTMLInputElement>("regex").checked = state.regex;
    byId<HTMLButtonElement>("reset").disabled = state.zoom === 0 && state.upperZoom === 0;
    for (const field of ["query", "own", "source"] as const) {
        if (byId<HTMLInputElement>(field).value !== state[field]) {
            byId<HTMLInputElement>(field).value = state[field];
        }
    }
}

function showFound(app: App): void {
    const { found } = app;
    const wrong = found !== null && "error" in found;
    byId("found").classList.toggle("wrong", wrong);
    byId("query").setAttribute("aria-invalid", String(wrong));
    const some = found !== null && "matches" in found && found.matches.frames > 0;
    byId<HTMLButtonElement>("next").disabled = byId<HTMLButtonElement>("previous").disabled = !some;
    byId("found").textContent = foundText(app);
}

function foundText({ found, position, scene }: App): string {
    if (!found) {
        return "";
    }
    if ("error" in found) {
        return "Invalid regular expression: " + found.error;
    }
    const { frames, methods } = found.matches;
    if (frames === 0) {
        return "No match";
    }
    const of = position > 0 ? formatCount(position) + " of " : "";
    return of + plural(frames, "frame") + " · " + plural(methods, "method") + " · " + formatShare(found.weight / scene.all)
        + (scene.coarse ? COARSE : "");
}

function showCrumbs({ profile, tree, state }: App): void {
    const path = pathTo(tree, state.zoom);
    const surplus = path.length - 1 - LAST_CRUMBS;
    const hidden = surplus > 1 ? surplus : 0;
    const crumb = (frame: number) => {
        const name = nameOf(profile, tree, frame);
        const text = element("bdi", { dir: "ltr" }, name.slice(0, LONGEST_CRUMB));
        const button = element("button", { type: "button", title: name.slice(0, LONGEST_TITLE) }, text);
        button.dataset.frame = String(frame);
        if (frame === state.zoom) {
            button.setAttribute("aria-current", "location");
        }
        return element("li", {}, button);
    };
    const gap = element("li", { className: "gap" }, element("span", {}, "… " + plural(hidden, "frame") + " …"));
    byId("crumbs").replaceChildren(crumb(0), ...(hidden > 0 ? [gap] : []), ...path.slice(1 + hidden).map(crumb));
}

// Groups are those of the whole profile, whatever part of it is visible. So colors do not change.
export const groupsOf = (app: App, mode: "package" | "type"): Groups => groupsIn(app.scenes.base, app.profile, mode);
const groupsIn = remember(groupFrames);

let legendShown: unknown[] = [];

function showLegend(app: App): void {
    const { colour, theme, scene } = app;
    const key = [colour, theme, scene.calls];
    if (key.every((part, i) => part === legendShown[i])) {
        return;
    }
    legendShown = key;
    byId("legend-title").textContent = colour === "change" ? "change, of the share of the whole"
        : (colour === "type" ? "frame type" : "package") + ", by self time";
    byId("legend-list").replaceChildren(...(colour === "change" ? changeItems(app) : groupItems(app, colour)));
}

function legendItem(colour: string, label: string, rest: string): HTMLLIElement {
    const swatch = element("span", { className: "swatch" });
    swatch.style.backgroundColor = colour;
    return element("li", {}, swatch, element("bdi", {}, label.slice(0, LONGEST_LABEL)), rest);
}

function groupItems(app: App, mode: "package" | "type"): HTMLLIElement[] {
    const { theme, scene } = app;
    const groups = groupsOf(app, mode);
    const colours = paint(groups.groups, theme);
    const sums = scene.calls === app.scenes.base ? groups.groups.map(({ self }) => self) : sumGroups(scene.calls, groups);
    const item = ({ label }: { label: string }, i: number) => legendItem(colours[i], label, " " + formatShare(sums[i] / scene.all));
    const most = mode === "type" ? groups.groups.length : MOST_PACKAGES;
    const [shown, rest] = [groups.groups.slice(0, most), groups.groups.slice(most)];
    const others = rest.reduce((sum, { index }) => sum + sums[index], 0);
    return [...shown.map(item), ...(rest.length === 0 ? []
        : [element("li", {}, element("bdi", {}, "other (" + rest.length + " more)"), " " + formatShare(others / scene.all))])];
}

function changeItems({ theme }: App): HTMLLIElement[] {
    return paintChanges(theme).map((colour, i) => legendItem(colour, CHANGE_LABELS[i], ""));
}

const ACTIONS = ["find", "sandwich", "focus", "drop", "hide", "copy"];

function showDetails(app: App): void {
    const pane = app.activePane;
    const frame = app.selectedOf(pane);
    ACTIONS.forEach((id) => { byId(id).hidden = app.selectedName < 0; });
    byId("code").hidden = !hasCode(app);
    byId("lines").hidden = !hasLines(app);
    showSource(app);
    if (frame < 0) {
        byId("details-text").textContent = "No frame selected. Click a frame, or use the arrow keys on the graph.";
        return;
    }
    const { name, type, rows, notes } = describeFrame(app, pane, frame);
    const figures = rows.map(({ label, value, share, interval }) =>
        element("span", {}, label + " " + value + ", " + share + " (" + interval + ")"));
    byId("details-text").replaceChildren(
        element("bdi", { className: "name", dir: "ltr", title: name.slice(0, LONGEST_TITLE) }, name.slice(0, LONGEST_NAME)),
        element("span", {}, type), ...figures, ...notes.map((note) => element("span", {}, note)), ...namingButtons(app, pane, frame));
}

function namingButtons(app: App, pane: PaneName, frame: number): HTMLElement[] {
    return app.namingsOf(pane, frame).map(({ title, open }) =>
        action("Finding: " + visibleName(title).slice(0, LONGEST_LABEL), "What is wrong here, and what to do", open));
}

function showSource({ selectedName, profile, state }: App): void {
    const address = selectedName < 0 ? "" : sourceOf(state.source, profile.strings[selectedName]);
    byId("source-link").hidden = address === "";
    byId<HTMLAnchorElement>("source-link").href = address || "#";
}

function showNotes({ profile, scene, tree }: App): void {
    const notes = [...profile.notes.map(visibleName)];
    if (scene.cut > 0) {
        notes.push("Callers of frames below " + Number((scene.cut * 100).toPrecision(3)) + "% of the time are not shown.");
    }
    if (tree.timed && tree.timed.step > 1 && profile.slices) {
        notes.push("There is too much for a frame each time, so the order within "
            + formatValue(tree.timed.step * profile.slices.bucketNs, "ns")
            + " is by stack. Choose a thread or a part of the time to see more.");
    }
    byId("notes").hidden = notes.length === 0;
    byId("notes").replaceChildren(...notes.map((note) => element("li", {}, note.slice(0, LONGEST_NAME))));
}

export function titleOf({ before, title }: Profile): string {
    return visibleName(before ? before.title + " → " + title : title);
}

export const showTitle = remember((profile: Profile): void => {
    const { before, samples } = profile;
    const title = titleOf(profile);
    byId("title").textContent = title.slice(0, 300);
    byId("size").textContent = (before && before.samples > 0 ? formatCount(before.samples) + " → " : "")
        + (samples > 0 ? plural(samples, "sample") : "");
    byId("title").title = visibleName((before ? "" : profile.command) || title).slice(0, LONGEST_TITLE);
});

// Shows the books. For a comparison, these are the books of the profile whose time is the width.
export const showBooks = remember((profile: Profile, width: "after" | "before"): void => {
    const { before } = profile;
    const { books: given, booksElsewhere, approximateShare, title } = before && width === "before" ? before : profile;
    const books = readBooks(given, profile.accounts);
    const whose = before ? width : "";
    showBooksBar({ drawing: byId("books-drawing"), summary: byId("books-summary") }, books, approximateShare, whose,
        noBooks(given, booksElsewhere));
    byId<HTMLButtonElement>("books").disabled = !books;
    byId("books-heading").textContent = "The books" + (before ? " of " + visibleName(title).slice(0, LONGEST_LABEL) : "");
    if (profile.booksAbout !== "") {
        byId("books-about").textContent = profile.booksAbout.charAt(0).toUpperCase() + profile.booksAbout.slice(1)
            + ", and how much of it this profile shows. The accounts do not overlap.";
    }
    byId("books-body").replaceChildren(...(books ? booksTable(books) : []));
});

// Shows, instead of a graph, why there is none.
export function showEmpty(title: string, text: string): void {
    byId("graph").hidden = true;
    byId("empty").hidden = false;
    byId("empty-title").textContent = title;
    byId("empty-text").textContent = text;
}

export function hideEmpty(): void {
    byId("graph").hidden = false;
    byId("empty").hidden = true;
}
