// What buttons, fields and keys do.
import { byId } from "./dom.js";
import { exactQuery } from "./search.js";
import { pickedMethod } from "./page.js";

export function listenToControls(app, graph) {
    const on = (id, event, work) => byId(id).addEventListener(event, work);
    on("reset", "click", () => resetZoom(app));
    on("flip", "click", () => flip(app));
    on("callers", "click", () => invert(app));
    on("methods-toggle", "click", () => toggleTable(app));
    on("colour", "change", () => app.change({ colour: byId("colour").value }));
    on("theme", "change", () => app.change({ theme: byId("theme").value }));
    on("regex", "change", () => app.change({ regex: byId("regex").checked }));
    on("query", "input", () => app.change({ query: byId("query").value }));
    on("search", "submit", (event) => event.preventDefault());
    on("next", "click", () => step(app, graph, 1));
    on("previous", "click", () => step(app, graph, -1));
    on("sort-self", "click", () => app.change({ sort: "self" }));
    on("sort-total", "click", () => app.change({ sort: "total" }));
    on("crumbs", "click", ({ target }) => {
        const button = target.closest("button");
        if (button) {
            app.zoomTo(Number(button.dataset.frame));
        }
    });
    on("methods-body", "click", ({ target }) => {
        const button = target.closest("button");
        if (button) {
            pickMethod(app, Number(button.dataset.name));
        }
    });
    on("find", "click", () => findAll(app, app.tree.name[app.state.selected]));
    on("copy", "click", () => copyName(app));
    listenToKeys(app, graph);
}

// The dialogs work without a graph too.
export function listenToDialogs() {
    byId("books").addEventListener("click", () => byId("books-dialog").showModal());
    byId("help-open").addEventListener("click", () => byId("help").showModal());
    document.addEventListener("keydown", (event) => {
        if (event.key === "?" && isCommand(event)) {
            event.preventDefault();
            byId("help").showModal();
        }
    });
}

// Whether a key is meant for the page: not typed into a field, not part of a shortcut of the browser, no dialog open.
function isCommand(event) {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
    return !typing && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]");
}

function resetZoom(app) {
    app.change({ zoom: 0 }, true);
}

function flip(app) {
    app.change({ flip: !app.state.flip }, true);
}

function invert(app) {
    app.change({ view: app.state.view === "callers" ? "calls" : "callers" }, true);
}

function toggleTable(app) {
    app.change({ table: app.tableShown ? "hidden" : "shown" });
}

function step(app, graph, direction) {
    app.nextMatch(direction, graph.geometry.width);
    if (app.state.selected >= 0) {
        graph.reveal(app.state.selected);
    }
}

function findAll(app, name) {
    app.change({ query: exactQuery(app.profile.strings[name]), regex: true });
}

// A second click on the marked row takes the mark away.
function pickMethod(app, name) {
    if (pickedMethod(app) === name) {
        app.change({ query: "", regex: false });
    } else {
        findAll(app, name);
    }
}

async function copyName({ profile, tree, state }) {
    if (state.selected <= 0) {
        return;
    }
    const button = byId("copy");
    try {
        await navigator.clipboard.writeText(profile.strings[tree.name[state.selected]]);
        button.textContent = "Copied";
    } catch {
        button.textContent = "Copying is not allowed here";
    }
    setTimeout(() => { button.textContent = "Copy name"; }, 1500);
}

function listenToKeys(app, graph) {
    const query = byId("query");
    query.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
            event.preventDefault();
            step(app, graph, event.shiftKey ? -1 : 1);
        } else if (event.key === "Escape") {
            event.preventDefault();
            if (app.state.query === "") {
                byId("canvas").focus();
            } else {
                app.change({ query: "" });
            }
        }
    });
    document.addEventListener("keydown", (event) => {
        if (!isCommand(event)) {
            return;
        }
        if (event.key === "/") {
            event.preventDefault();
            query.focus();
            query.select();
        } else if (event.key === "Escape") {
            graph.leave();
            resetZoom(app);
        }
    });
    byId("canvas").addEventListener("keydown", (event) => {
        const work = isCommand(event) && graphKey(app, graph, event.key);
        if (work) {
            event.preventDefault();
            work();
        }
    });
}

function graphKey(app, graph, key) {
    const { tree, state } = app;
    const away = state.flip ? "ArrowUp" : "ArrowDown";
    const back = state.flip ? "ArrowDown" : "ArrowUp";
    const select = (frame) => () => {
        app.change({ selected: frame });
        graph.reveal(frame);
    };
    const from = state.selected < 0 || !graph.geometry.shows(state.selected) ? -1 : state.selected;
    if ([away, back, "ArrowLeft", "ArrowRight"].includes(key)) {
        const direction = { [away]: "child", [back]: "parent" }[key] || key;
        return select(from < 0 ? state.zoom : neighbour(graph.geometry, from, direction));
    }
    const actions = {
        Enter: () => from >= 0 && app.zoomTo(from),
        Home: select(state.zoom),
        Backspace: () => state.zoom > 0 && app.zoomTo(tree.parent[state.zoom]),
        n: () => step(app, graph, 1),
        N: () => step(app, graph, -1),
        f: () => flip(app),
        i: () => invert(app),
        t: () => app.change({ colour: state.colour === "type" ? "package" : "type" }),
        m: () => toggleTable(app),
        c: () => copyName(app),
    };
    return Object.hasOwn(actions, key) ? actions[key] : null;
}

// The frame next to `frame` in a direction, among those in sight that have weight; `frame` itself when there is none.
function neighbour(geometry, frame, direction) {
    const { tree } = geometry;
    const depth = tree.depth[frame];
    if (direction === "parent") {
        return Math.max(0, tree.parent[frame]);
    }
    if (direction === "child") {
        const child = geometry.isAbove(frame) ? geometry.path[depth + 1] : tree.first[frame];
        return geometry.isAbove(frame) || (child < tree.first[frame + 1] && tree.total[child] > 0) ? child : frame;
    }
    const { from, to } = geometry.row(depth);
    const step = direction === "ArrowRight" ? 1 : -1;
    let next = frame + step;
    while (next >= from && next < to && tree.total[next] === 0) {
        next += step;
    }
    return next >= from && next < to ? next : frame;
}
