// Starts the page.
import { App } from "./app.js";
import { booksTable, readBooks, showBooksBar } from "./books.js";
import { listenToControls, listenToDialogs } from "./controls.js";
import { describeFrame } from "./describe.js";
import { byId } from "./dom.js";
import { Graph } from "./graph.js";
import { offerHook } from "./hook.js";
import { showEmpty, showPage, showTitle } from "./page.js";
import { DataError, readProfile } from "./profile.js";
import { hideTooltip, showTooltip, tooltipContent } from "./tooltip.js";

function start() {
    listenToDialogs();
    let profile = null;
    try {
        profile = readProfile(byId("candor-data").textContent);
    } catch (error) {
        if (!(error instanceof DataError)) {
            throw error;
        }
        return startWithout("This profile cannot be shown", "It is damaged: " + error.message + ".");
    }
    if (!profile) {
        return startWithout("No profile", "This page is empty. To make one: candor convert RECORDING.jfr FLAME.html");
    }
    showTitle(profile);
    showBooks(profile.books);
    if (!profile.tree || profile.tree.total[0] === 0) {
        return startWithout("No samples", "The program used no CPU time while it was recorded, or no sample shows it. "
            + (profile.books ? "The books say which." : "The file holds no books to tell."));
    }
    startGraph(profile);
}

// Everything that needs a graph is switched off.
function startWithout(title, text) {
    if (byId("books-summary").textContent === "") {
        showBooks(null);
    }
    document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    for (const id of ["search", "path", "details", "legend", "reset", "flip", "callers", "methods-toggle"]) {
        byId(id).hidden = true;
    }
    for (const id of ["colour", "theme"]) {
        byId(id).parentElement.hidden = true;
    }
    showEmpty(title, text);
}

function showBooks(given) {
    const books = readBooks(given);
    showBooksBar({ drawing: byId("books-drawing"), summary: byId("books-summary") }, books);
    byId("books").disabled = !books;
    if (books) {
        byId("books-body").replaceChildren(...booksTable(books));
    }
}

function startGraph(profile) {
    const parts = Object.fromEntries(["scroll", "room", "frames", "canvas", "overlay"].map((id) => [id, byId(id)]));
    const tooltip = byId("tooltip");
    const graph = new Graph(parts, profile.strings, {
        hover: (frame, { clientX, clientY }) =>
            showTooltip(tooltip, tooltipContent(describeFrame(profile, app.tree, frame, app.state)), clientX, clientY),
        leave: () => hideTooltip(tooltip),
        click: (frame) => app.zoomTo(frame),
    });
    const app = new App(profile, () => {
        showPage(app);
        graph.show(app.tree, app.state, app.look);
    });
    byId("legend").open = window.innerWidth > 760;
    listenToControls(app, graph);
    offerHook(app, graph);
    app.show(app);
}

start();
