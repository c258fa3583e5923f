// Connects buttons and fields with actions.
import * as actions from "./actions";
import { App } from "./app";
import { showCode } from "./code";
import { byId } from "./dom";
import { listenToKeys, isCommand } from "./keys";
import { listenToMenu } from "./menu";
import { NOTHING_CHOSEN } from "./sight";
import { showLines } from "./sourcelines";
import { State } from "./state";

export function listenToControls(app: App, panes: actions.Panes): void {
    const click = (id: string, work: () => void) => byId(id).addEventListener("click", work);
    click("reset", () => actions.resetZoom(app));
    click("flip", () => actions.toggle(app, "flip"));
    click("recursion", () => actions.toggle(app, "recursion"));
    click("chains", () => actions.toggle(app, "chains"));
    click("in-time", () => actions.orderByTime(app));
    click("fold", () => actions.toggleFold(app));
    click("callers", () => actions.invert(app));
    for (const field of ["own", "source"] as const) {
        byId(field).addEventListener("change", () => app.change({ [field]: byId<HTMLInputElement>(field).value.trim() }));
    }
    click("by-thread", () => actions.groupByThread(app));
    click("graph-toggle", () => actions.toggleGraph(app));
    click("methods-toggle", () => actions.toggleTable(app));
    click("unsure", () => app.change({ unsure: !app.state.unsure }));
    click("timeline-toggle", () => actions.toggleTimeline(app));
    click("save", () => actions.saveSvg(app, panes));
    click("save-png", () => actions.savePng(app, panes));
    click("next", () => actions.step(app, panes, 1));
    click("previous", () => actions.step(app, panes, -1));
    click("find", () => actions.findAll(app, app.selectedName));
    click("sandwich", () => actions.sandwichOf(app, app.selectedName));
    click("code", () => showCode(app));
    click("lines", () => showLines(app));
    click("copy", () => void actions.copyName(app, app.selectedName));
    click("why", () => app.change({ panel: app.state.panel === "why" ? "none" : "why" }, true));
    click("clear", () => app.change(NOTHING_CHOSEN, true));
    click("empty-clear", () => app.change(NOTHING_CHOSEN, true));
    for (const filter of ["focus", "drop", "hide"] as const) {
        click(filter, () => actions.filter(app, filter, app.selectedName));
    }
    for (const sort of ["self", "total", "name"] as const) {
        click("sort-" + sort, () => app.change({ sort: sort === "self" && app.profile.before ? "change" : sort }));
    }
    click("more", () => {
        const open = byId("viewer").classList.toggle("more");
        byId("more").setAttribute("aria-expanded", String(open));
    });
    for (const key of ["colour", "theme", "width"] as const) {
        const select = byId<HTMLSelectElement>(key);
        select.addEventListener("change", () => app.change({ [key]: select.value } as Partial<State>));
    }
    const query = byId<HTMLInputElement>("query");
    const regex = byId<HTMLInputElement>("regex");
    query.addEventListener("input", () => app.change({ query: query.value }));
    regex.addEventListener("change", () => app.change({ regex: regex.checked }));
    byId("search").addEventListener("submit", (event) => event.preventDefault());
    clickWithin("crumbs", ({ frame }) => app.zoomTo("main", Number(frame)));
    listenToTable(app);
    listenToKeys(app, panes);
    listenToMenu(app, panes);
}

// Handles clicks on the table. A click picks a method. A double click shows the sandwich of the method that the first click picked, because
// other rows may be under the mouse at the second click. It also restores the previous search.
function listenToTable(app: App): void {
    let before: Partial<State> = {};
    let first = -1;
    clickWithin("methods-body", ({ name }, { detail }) => {
        if (detail > 1) {
            return;
        }
        before = { query: app.state.query, regex: app.state.regex };
        first = Number(name);
        actions.pickMethod(app, first);
    });
    byId("methods-body").addEventListener("dblclick", () => actions.sandwichOf(app, first, before));
}

// Calls `work` for clicks on the buttons in an element.
function clickWithin(id: string, work: (data: DOMStringMap, event: MouseEvent) => void): void {
    byId(id).addEventListener("click", (event) => {
        const button = event.target instanceof Element ? event.target.closest("button") : null;
        if (button) {
            work(button.dataset, event);
        }
    });
}

// Opens the dialogs. They work even without a graph.
export function listenToDialogs(): void {
    const open = (dialog: string, heading: string) => {
        byId<HTMLDialogElement>(dialog).showModal();
        byId(heading).focus(); // otherwise a dialog that is longer than the window would begin at its end, where its button is
    };
    const help = () => open("help", "help-heading");
    byId("books").addEventListener("click", () => open("books-dialog", "books-heading"));
    byId("help-open").addEventListener("click", help);
    document.addEventListener("keydown", (event) => {
        if (event.key === "?" && isCommand(event)) {
            event.preventDefault();
            help();
        }
    });
}
