// Starts the viewer: the graphs, what describes them, and what changes them.
import { Look } from "../draw/renderer";
import { PartReader } from "../model/parts";
import { Profile } from "../model/profile";
import { zoomInto, zoomOut } from "../model/tree";
import { Panes } from "./actions";
import { Address, App, PaneName } from "./app";
import { listenToControls } from "./controls";
import { describeFrame } from "./describe";
import { byId, keepFocus } from "./dom";
import { Graph, Parts } from "./graph";
import { offerHook } from "./hook";
import { Kinds } from "./kinds";
import { lookOf } from "./look";
import { Panels as Beside } from "./panels";
import { hideEmpty, showEmpty, showPage } from "./show";
import { Times } from "./times";
import { hideTooltip, showTooltip, tooltipContent } from "./tooltip";

const IDLE_MS = 300;

function partsOf(prefix: string): Parts {
    const part = <T extends HTMLElement>(id: string) => byId<T>(prefix + id);
    return { scroll: part("scroll"), room: part("room"), frames: part("frames"), canvas: part("canvas"), overlay: part("overlay") };
}

// Starts the viewer in the markup of viewer.html, which the document must already have. A document has at most one viewer.
export function startViewer(profile: Profile, kinds: Kinds, parts: PartReader, address: Address, shown: (app: App) => void): App {
    const tooltip = byId("tooltip");
    const graph = (pane: PaneName, prefix: string) => new Graph(partsOf(prefix), {
        hover: (frame, { clientX, clientY }) =>
            showTooltip(tooltip, tooltipContent(describeFrame(app, pane, frame)), clientX, clientY),
        leave: () => hideTooltip(tooltip),
        wheel: (frame, into, begins) => {
            const [tree, zoom] = [app.treeOf(pane), app.zoomOf(pane)];
            const next = into ? zoomInto(tree, zoom, frame) : zoomOut(tree, zoom);
            if (next !== zoom) {
                app.zoomTo(pane, next, begins); // the back button returns to the picture before the turn
            }
        },
        click: (frame, onMark) => (onMark ? app.openNaming(pane, frame) : app.zoomTo(pane, frame)),
    });
    const app = new App(profile, kinds, parts, address, () => show());
    const panes: Panes = { main: graph("main", ""), upper: graph("upper", "upper-") };
    const times = new Times(app);
    const panels = app.panels = new Beside(app);
    let refining = 0;
    const show = () => keepFocus(() => {
        showParts(app.profile);
        showPage(app);
        times.show();
        panels.show();
        showGraphs(app, panes);
        shown(app);
        // The exact picture follows when nothing else was done for a moment.
        const { coarse } = app.scene;
        document.querySelector(".viewer > main")?.toggleAttribute("data-coarse", coarse);
        window.clearTimeout(refining);
        refining = coarse ? window.setTimeout(() => app.exactly(() => undefined), IDLE_MS) : 0;
    }, () => byId(byId("graph").hidden ? "empty-clear" : "canvas"));
    byId<HTMLDetailsElement>("legend").open = window.innerWidth > 760 && window.innerHeight >= 840;
    byId("timeline").hidden = true;
    listenToControls(app, panes);
    offerHook(app, panes);
    app.start();
    return app;
}

// Hides the controls that this profile cannot use.
function showParts({ slices, owners, before }: Profile): void {
    for (const [need, has] of Object.entries({ times: slices, owners, before, order: slices && !before })) {
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
