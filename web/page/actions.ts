// The actions of the page. Buttons and keys call them.
import { Picture } from "../draw/boxes";
import { pngOf } from "../draw/png";
import { svgOf } from "../draw/svg";
import { exactQuery } from "../model/search";
import { App, PaneName } from "./app";
import { describeFrame, nameOf } from "./describe";
import { byId } from "./dom";
import { Graph } from "./graph";
import { State } from "./state";
import { pickedMethod } from "./table";

export interface Panes {
    main: Graph;
    upper: Graph;
}

export function resetZoom(app: App): void {
    app.change({ zoom: 0, upperZoom: 0 }, true);
}

export function toggle(app: App, key: "flip" | "recursion" | "chains"): void {
    app.change({ [key]: !app.state[key] }, true);
}

export function invert(app: App): void {
    app.change({ view: app.state.view === "callers" ? "calls" : "callers" }, true);
}

export function orderByTime(app: App): void {
    if (app.profile.slices && !app.profile.before) {
        app.change(app.scenes.inTime(app.state) ? { order: "size" } : { order: "time", view: "calls", method: -1 }, true);
    }
}

export function toggleFold(app: App): void {
    if (app.profile.owners) {
        app.change(app.scenes.ownFirst(app.state) ? { fold: "no" } : { fold: "yes", view: "calls", method: -1, query: "" }, true);
    }
}

export function groupByThread(app: App): void {
    if (app.profile.slices) {
        app.change({ group: app.scenes.byThread(app.state) ? "none" : "threads" }, true);
    }
}

export function toggleTable(app: App): void {
    app.change(app.tableShown ? { table: "hidden", graph: "shown" } : { table: "shown" });
}

// One of the two remains.
export function toggleGraph(app: App): void {
    app.change(app.graphShown ? { graph: "hidden", table: "shown" } : { graph: "shown", table: app.tableShown ? "shown" : "hidden" });
}

export function toggleTimeline(app: App): void {
    app.change({ timeline: app.timelineShown ? "hidden" : "shown" });
}

export function step(app: App, { main }: Panes, direction: number): void {
    app.nextMatch(direction, main.geometry ? main.geometry.width : 0);
    if (app.state.selected >= 0) {
        main.reveal(app.state.selected);
    }
}

export function findAll(app: App, name: number): void {
    if (name >= 0) {
        app.change({ query: exactQuery(app.profile.strings[name]), regex: true });
    }
}

// Picks a method. A second click on the marked row removes the mark.
export function pickMethod(app: App, name: number): void {
    if (pickedMethod(app) === name) {
        app.change({ query: "", regex: false });
    } else {
        findAll(app, name);
    }
}

export function sandwichOf(app: App, name: number, more: Partial<State> = {}): void {
    if (name >= 0) {
        app.change({ ...more, view: "sandwich", method: name }, true);
    }
}

// Adds a method to one of the filters.
export function filter(app: App, key: "focus" | "drop" | "hide", name: number): void {
    if (name >= 0 && !app.state[key].includes(name)) {
        app.change({ [key]: [...app.state[key], name] } as Partial<State>, true);
    }
}

export async function copyName(app: App, name: number): Promise<void> {
    if (name < 0) {
        return;
    }
    const button = byId("copy");
    try {
        await navigator.clipboard.writeText(app.profile.strings[name]);
        button.textContent = "Copied";
    } catch {
        button.textContent = "Copying is not allowed here";
    }
    setTimeout(() => { button.textContent = "Copy name"; }, 1500);
}

// Returns the visible pictures, for a sandwich both panes.
function picturesOf(app: App, panes: Panes): Picture[] {
    const tell = (pane: PaneName) => (frame: number) => {
        const { rows: [total] } = describeFrame(app, pane, frame);
        return nameOf(app.profile, app.treeOf(pane), frame) + ": " + total.value + ", " + total.share + " (" + total.interval + ")";
    };
    const shown: PaneName[] = app.scene.upper && app.tree.total[0] > 0 ? ["upper", "main"] : ["main"];
    return shown.map((pane) => panes[pane].picture(tell(pane))).filter((picture): picture is Picture => picture !== null);
}

// Returns the visible pictures as SVG text, or "" if there are none.
export function svgText(app: App, panes: Panes): string {
    const pictures = picturesOf(app, panes);
    return pictures.length > 0 ? svgOf(byId("title").textContent ?? "", pictures) : "";
}

// Returns what a key does with a method, both for the selected frame and for a row of the table.
export function ofMethod(app: App, key: string, name: number): (() => void) | null {
    switch (key) {
        case "s": return () => sandwichOf(app, name);
        case "o": return () => filter(app, "focus", name);
        case "d": return () => filter(app, "drop", name);
        case "h": return () => filter(app, "hide", name);
        default: return null;
    }
}

export function saveSvg(app: App, panes: Panes): void {
    app.exactly(() => save(app, new Blob([svgText(app, panes)], { type: "image/svg+xml" }), ".svg"));
}

export function savePng(app: App, panes: Panes): void {
    app.exactly(() => void saveImage(app, panes));
}

async function saveImage(app: App, panes: Panes): Promise<void> {
    const pictures = picturesOf(app, panes);
    const made = pictures.length > 0 ? await pngOf(byId("title").textContent ?? "", pictures) : null;
    if (made) {
        save(app, made, ".png");
    } else {
        const button = byId("save-png");
        button.textContent = pictures.length > 0 ? "Too large: save SVG" : "No graph to save";
        setTimeout(() => { button.textContent = "Save PNG"; }, 5000);
    }
}

function save(app: App, file: Blob, ending: string): void {
    const address = URL.createObjectURL(file);
    const link = document.createElement("a");
    link.href = address;
    link.download = (app.profile.title.replace(/[^\w.-]+/g, "_").slice(0, 80) || "profile") + ending;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
}
