// Starts the page.
import { Look } from "../draw/renderer";
import { DataError } from "../model/columns";
import { Profile } from "../model/profile";
import { Panes } from "./actions";
import { App, PaneName } from "./app";
import { showBooksBar } from "./books";
import { listenToControls, listenToDialogs } from "./controls";
import { describeFrame } from "./describe";
import { byId, keepFocus } from "./dom";
import { Graph, Parts } from "./graph";
import { showHead } from "./head";
import { offerHook } from "./hook";
import { Kinds } from "./kinds";
import { lookOf } from "./look";
import { hideEmpty, showBooks, showEmpty, showPage, showTitle } from "./show";
import { Panels as Beside } from "./panels";
import { readAddress } from "./state";
import { Times } from "./times";
import { hideTooltip, showTooltip, tooltipContent } from "./tooltip";

async function start(): Promise<void> {
    listenToDialogs();
    document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const kinds = new Kinds();
    let profile: Profile | null = null;
    try {
        profile = await kinds.find(readAddress(location.hash).kind).read();
    } catch (error) {
        if (!(error instanceof DataError)) {
            throw error;
        }
        return startWithout("This profile cannot be shown", "It is damaged: " + error.message + ".");
    }
    if (!profile) {
        return startWithout("No profile", "This page has no profile. To make a page with one: candor convert RECORDING.jfr FLAME.html");
    }
    showTitle(profile);
    showHead(profile);
    if (profile.total === 0) {
        showBooks(profile, "after");
        return startWithout("No samples", "The program used no CPU time during the recording, or no sample shows it. "
            + (profile.books ? "The books show which of the two is the case." : "The file has no books, so this is unknown."));
    }
    startGraphs(profile, kinds);
}

// Switches off everything that needs a graph, and shows a text instead.
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

function startGraphs(profile: Profile, kinds: Kinds): void {
    const tooltip = byId("tooltip");
    const graph = (pane: PaneName, prefix: string) => new Graph(partsOf(prefix), {
        hover: (frame, { clientX, clientY }) =>
            showTooltip(tooltip, tooltipContent(describeFrame(app, pane, frame)), clientX, clientY),
        leave: () => hideTooltip(tooltip),
        click: (frame) => app.zoomTo(pane, frame),
    });
    const app = new App(profile, kinds, () => show());
    const panes: Panes = { main: graph("main", ""), upper: graph("upper", "upper-") };
    const times = new Times(app);
    const panels = app.panels = new Beside(app);
    const show = () => keepFocus(() => {
        showParts(app.profile);
        showPage(app);
        times.show();
        panels.show();
        showGraphs(app, panes);
    }, () => byId(byId("graph").hidden ? "empty-clear" : "canvas"));
    byId<HTMLDetailsElement>("legend").open = window.innerWidth > 760 && window.innerHeight > 900;
    byId("timeline").hidden = true;
    listenToControls(app, panes);
    offerHook(app, panes);
    app.start();
}

// Hides the controls that this profile cannot use.
function showParts({ slices, owners, before }: Profile): void {
    for (const [need, has] of Object.entries({ times: slices, owners, before })) {
        document.querySelectorAll<HTMLElement>("[data-needs='" + need + "']").forEach((part) => { part.hidden = !has; });
    }
}

function showGraphs(app: App, panes: Panes): void {
    const { scene, state } = app;
    const nothing = scene.tree.total[0] === 0;
    if (nothing) {
        showEmpty("Nothing is shown", "No stack matches the choices.");
    } else {
        hideEmpty();
    }
    byId("empty-clear").hidden = !nothing;
    byId("upper").hidden = nothing || !scene.upper;
    const look = (pane: PaneName): Look => lookOf(app, pane);
    if (scene.upper && !nothing) {
        // The callers are on top of the method; flipped, they hang from it.
        const { upperZoom: zoom, upperSelected: selected } = state;
        panes.upper.show(scene.upper, app.profile.strings, { zoom, selected, flip: !state.flip }, look("upper"));
    }
    panes.main.show(scene.tree, app.profile.strings, state, look("main"));
}

void start().finally(() => {
    document.documentElement.dataset.ready = "yes";
    // For measurements: marks the time of the first picture.
    requestAnimationFrame(() => setTimeout(() => performance.mark("candor-drawn"), 0));
});
