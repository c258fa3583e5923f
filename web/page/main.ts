// Starts the page.
import { Look } from "../draw/renderer";
import { DataError } from "../model/columns";
import { Profile, readProfile } from "../model/profile";
import { Panes } from "./actions";
import { App, PaneName } from "./app";
import { showBooksBar } from "./books";
import { listenToControls, listenToDialogs } from "./controls";
import { describeFrame } from "./describe";
import { byId, keepFocus } from "./dom";
import { Graph, Parts } from "./graph";
import { offerHook } from "./hook";
import { lookOf } from "./look";
import { hideEmpty, showBooks, showEmpty, showPage, showTitle } from "./show";
import { Times } from "./times";
import { hideTooltip, showTooltip, tooltipContent } from "./tooltip";

async function start(): Promise<void> {
    listenToDialogs();
    document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    let profile: Profile | null = null;
    try {
        profile = await readProfile(byId("candor-data").textContent ?? "");
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
    if (profile.total === 0) {
        showBooks(profile, "after");
        return startWithout("No samples", "The program used no CPU time while it was recorded, or no sample shows it. "
            + (profile.books ? "The books say which." : "The file holds no books to tell."));
    }
    startGraphs(profile);
}

// Everything that needs a graph is switched off.
function startWithout(title: string, text: string): void {
    if (byId("books-summary").textContent === "") {
        showBooksBar({ drawing: byId("books-drawing"), summary: byId("books-summary") }, null, -1, "");
        byId<HTMLButtonElement>("books").disabled = true;
    }
    document.querySelectorAll<HTMLElement>("[data-needs]").forEach((part) => { part.hidden = true; });
    showEmpty(title, text);
}

function partsOf(prefix: string): Parts {
    const part = <T extends HTMLElement>(id: string) => byId<T>(prefix + id);
    return { scroll: part("scroll"), room: part("room"), frames: part("frames"), canvas: part("canvas"), overlay: part("overlay") };
}

function startGraphs(profile: Profile): void {
    const tooltip = byId("tooltip");
    const graph = (pane: PaneName, prefix: string) => new Graph(partsOf(prefix), profile.strings, {
        hover: (frame, { clientX, clientY }) =>
            showTooltip(tooltip, tooltipContent(describeFrame(app, pane, frame)), clientX, clientY),
        leave: () => hideTooltip(tooltip),
        click: (frame) => app.zoomTo(pane, frame),
    });
    const app = new App(profile, () => show());
    const panes: Panes = { main: graph("main", ""), upper: graph("upper", "upper-") };
    const times = profile.slices ? new Times(app, profile.slices) : null;
    const show = () => keepFocus(() => {
        showPage(app);
        times?.show();
        showGraphs(app, panes);
    }, () => byId(byId("graph").hidden ? "empty-clear" : "canvas"));
    byId<HTMLDetailsElement>("legend").open = window.innerWidth > 760 && window.innerHeight > 900;
    document.querySelectorAll<HTMLElement>("[data-needs='times']").forEach((part) => { part.hidden = !times; });
    document.querySelectorAll<HTMLElement>("[data-needs='owners']").forEach((part) => { part.hidden = !profile.owners; });
    document.querySelectorAll<HTMLElement>("[data-needs='before']").forEach((part) => { part.hidden = !profile.before; });
    byId("timeline").hidden = true;
    listenToControls(app, panes);
    offerHook(app, panes);
    app.start();
}

function showGraphs(app: App, panes: Panes): void {
    const { scene, state } = app;
    const nothing = scene.tree.total[0] === 0;
    if (nothing) {
        showEmpty("Nothing in sight", "No stack is left of what was chosen.");
    } else {
        hideEmpty();
    }
    byId("empty-clear").hidden = !nothing;
    byId("upper").hidden = nothing || !scene.upper;
    const look = (pane: PaneName): Look => lookOf(app, pane);
    if (scene.upper && !nothing) {
        // The callers stand on the method; flipped, they hang from it.
        const { upperZoom: zoom, upperSelected: selected } = state;
        panes.upper.show(scene.upper, { zoom, selected, flip: !state.flip }, look("upper"));
    }
    panes.main.show(scene.tree, state, look("main"));
}

void start().finally(() => {
    document.documentElement.dataset.ready = "yes";
    // For measurements: the time of the first picture.
    requestAnimationFrame(() => setTimeout(() => performance.mark("candor-drawn"), 0));
});
