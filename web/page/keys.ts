// Handles keys. The help in flame.html lists them.
import { Geometry } from "../draw/geometry";
import * as actions from "./actions";
import { App, PaneName } from "./app";
import { showCode } from "./code";
import { byId } from "./dom";
import { NOTHING_CHOSEN } from "./sight";
import { showLines } from "./sourcelines";

// Whether a key is meant for the viewer: the viewer is in sight, no dialog is open, and the key was not typed into a field and is not part
// of a shortcut of the browser.
export function isCommand(event: KeyboardEvent): boolean {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
    const away = byId("viewer").hidden || document.querySelector("dialog[open]");
    return !away && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
}

export function listenToKeys(app: App, panes: actions.Panes): void {
    const query = byId<HTMLInputElement>("query");
    query.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
            event.preventDefault();
            actions.step(app, panes, event.shiftKey ? -1 : 1);
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
        } else if (event.key === "k" || event.key === "K") {
            void app.chooseKind(app.kinds.beside(app.state.kind, event.key === "k" ? 1 : -1));
        } else if (event.key === "Escape") {
            panes.main.leave();
            panes.upper.leave();
            actions.resetZoom(app);
        }
    });
    byId("methods-body").addEventListener("keydown", (event) => {
        const button = event.target instanceof Element ? event.target.closest("button") : null;
        const work = button && isCommand(event) ? actions.ofMethod(app, event.key, Number(button.dataset.name)) : null;
        work?.();
    });
    listenOnGraph(app, panes, "main", byId("canvas"));
    listenOnGraph(app, panes, "upper", byId("upper-canvas"));
}

function listenOnGraph(app: App, panes: actions.Panes, pane: PaneName, canvas: HTMLElement): void {
    canvas.addEventListener("keydown", (event) => {
        const work = isCommand(event) ? move(app, panes, pane, event.key) ?? command(app, panes, pane, event.key)
            ?? actions.ofMethod(app, event.key, app.selectedName) : null;
        if (work) {
            event.preventDefault();
            work();
        }
    });
}

// Returns what an arrow key does.
function move(app: App, panes: actions.Panes, pane: PaneName, key: string): (() => void) | null {
    const { geometry } = panes[pane];
    const flip = app.state.flip !== (pane === "upper");
    const directions: Record<string, Direction> = {
        [flip ? "ArrowUp" : "ArrowDown"]: "child", [flip ? "ArrowDown" : "ArrowUp"]: "parent",
        ArrowLeft: "left", ArrowRight: "right",
    };
    if (!Object.hasOwn(directions, key) || !geometry) {
        return null;
    }
    const selected = app.selectedOf(pane);
    const known = selected >= 0 && geometry.shows(selected);
    const to = known ? neighbour(geometry, selected, directions[key]) : app.zoomOf(pane);
    return () => {
        app.select(pane, to);
        panes[pane].reveal(to);
    };
}

function command(app: App, panes: actions.Panes, pane: PaneName, key: string): (() => void) | null {
    const { geometry } = panes[pane];
    const selected = app.selectedOf(pane);
    const zoom = app.zoomOf(pane);
    const commands: Record<string, () => void> = {
        Enter: () => selected >= 0 && geometry?.shows(selected) && app.zoomTo(pane, selected),
        Home: () => app.select(pane, zoom),
        Backspace: () => zoom > 0 && app.zoomTo(pane, app.treeOf(pane).parent[zoom]),
        n: () => actions.step(app, panes, 1),
        N: () => actions.step(app, panes, -1),
        f: () => actions.toggle(app, "flip"),
        i: () => actions.invert(app),
        p: () => actions.toggleFold(app),
        w: () => actions.orderByTime(app),
        g: () => actions.groupByThread(app),
        r: () => actions.toggle(app, "recursion"),
        e: () => actions.toggle(app, "chains"),
        x: () => app.change(NOTHING_CHOSEN, true),
        t: () => app.change({ colour: app.colour === "type" ? "auto" : "type" }),
        m: () => actions.toggleTable(app),
        l: () => actions.toggleTimeline(app),
        v: () => actions.saveSvg(app, panes),
        c: () => void actions.copyName(app, app.selectedName),
        a: () => showCode(app),
        u: () => showLines(app),
    };
    return Object.hasOwn(commands, key) ? commands[key] : null;
}

type Direction = "child" | "parent" | "left" | "right";

// Returns the frame next to `frame` in a direction, among the visible frames that have weight. Returns `frame` itself if there is none.
function neighbour(geometry: Geometry, frame: number, direction: Direction): number {
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
    const step = direction === "right" ? 1 : -1;
    let next = frame + step;
    while (next >= from && next < to && tree.total[next] === 0) {
        next += step;
    }
    return next >= from && next < to ? next : frame;
}
