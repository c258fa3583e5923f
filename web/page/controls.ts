// What buttons and fields do.
import * as actions from "./actions";
import { App } from "./app";
import { byId } from "./dom";
import { listenToKeys, isCommand } from "./keys";
import { NOTHING_CHOSEN } from "./sight";
import { State } from "./state";

export function listenToControls(app: App, panes: actions.Panes): void {
    const click = (id: string, work: () => void) => byId(id).addEventListener("click", work);
    click("reset", () => actions.resetZoom(app));
    click("flip", () => actions.toggle(app, "flip"));
    click("recursion", () => actions.toggle(app, "recursion"));
    click("chains", () => actions.toggle(app, "chains"));
    click("callers", () => actions.invert(app));
    click("by-thread", () => actions.groupByThread(app));
    click("methods-toggle", () => actions.toggleTable(app));
    click("timeline-toggle", () => actions.toggleTimeline(app));
    click("save", () => actions.saveSvg(app, panes));
    click("next", () => actions.step(app, panes, 1));
    click("previous", () => actions.step(app, panes, -1));
    click("find", () => actions.findAll(app, app.selectedName));
    click("sandwich", () => actions.sandwichOf(app, app.selectedName));
    click("copy", () => void actions.copyName(app));
    click("clear", () => app.change(NOTHING_CHOSEN, true));
    click("empty-clear", () => app.change(NOTHING_CHOSEN, true));
    for (const filter of ["focus", "drop", "hide"] as const) {
        click(filter, () => actions.filter(app, filter, app.selectedName));
    }
    for (const sort of ["self", "total", "name"] as const) {
        click("sort-" + sort, () => app.change({ sort: sort === "self" && app.profile.before ? "change" : sort }));
    }
    click("more", () => {
        const open = document.body.classList.toggle("more");
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
    clickWithin("methods-body", ({ name }) => actions.pickMethod(app, Number(name)));
    byId("methods-body").addEventListener("dblclick", ({ target }) => {
        const button = target instanceof Element ? target.closest("button") : null;
        actions.sandwichOf(app, button ? Number(button.dataset.name) : -1);
    });
    listenToKeys(app, panes);
}

// Listens for clicks on the buttons in an element.
function clickWithin(id: string, work: (data: DOMStringMap) => void): void {
    byId(id).addEventListener("click", ({ target }) => {
        const button = target instanceof Element ? target.closest("button") : null;
        if (button) {
            work(button.dataset);
        }
    });
}

// The dialogs work without a graph too.
export function listenToDialogs(): void {
    const help = byId<HTMLDialogElement>("help");
    byId("books").addEventListener("click", () => byId<HTMLDialogElement>("books-dialog").showModal());
    byId("help-open").addEventListener("click", () => help.showModal());
    document.addEventListener("keydown", (event) => {
        if (event.key === "?" && isCommand(event)) {
            event.preventDefault();
            help.showModal();
        }
    });
}
