// Sets window.candor: the page's state as plain data, for scripts that read profiles, and for tests. It changes nothing.
import { svgText, Panes } from "./actions";
import { App, PaneName } from "./app";
import { describeFrame, nameOf } from "./describe";

export function offerHook(app: App, panes: Panes): void {
    const brief = (pane: PaneName, frame: number) => {
        const tree = app.treeOf(pane);
        return frame < 0 || frame >= tree.count ? null : {
            frame,
            parent: tree.parent[frame],
            depth: tree.depth[frame],
            self: tree.self[frame],
            total: tree.total[frame],
            other: tree.otherTotal ? tree.otherTotal[frame] : null,
            seen: tree.timed ? [tree.timed.from[frame], tree.timed.to[frame]] : null,
            folded: tree.folded ? tree.folded[frame] : 0,
            ...describeFrame(app, pane, frame),
            name: frame === 0 && tree.root < 0 ? app.profile.strings[tree.name[0]] : app.profile.strings[tree.name[frame]],
            shownName: nameOf(app.profile, tree, frame),
        };
    };
    const search = () => {
        const { found } = app;
        return found && "matches" in found
            ? { frames: found.matches.frames, methods: found.matches.methods, weight: found.weight, position: app.position }
            : found;
    };
    const methods = () => app.scenes.methodsOf(app.scene.calls).map((method) =>
        ({ ...method, name: app.profile.strings[method.name] }));
    const hook = Object.freeze({
        // The choices, and what follows from them.
        state: () => ({
            ...app.state,
            colour: app.colour,
            sort: app.sort,
            themeShown: app.theme,
            tableShown: app.tableShown,
            graphShown: app.graphShown,
            timelineShown: app.timelineShown,
            byThread: app.scenes.byThread(app.state),
            ownFirst: app.scenes.ownFirst(app.state),
            inTime: app.scenes.inTime(app.state),
            nodes: app.tree.count,
            total: app.tree.total[0],
            all: app.scene.all,
            coarse: app.scene.coarse,
            rows: panes.main.geometry ? panes.main.geometry.rows : 0,
            drawn: panes.main.drawn,
            drawTime: panes.main.drawTime,
            zoomed: brief("main", app.state.zoom),
            selectedFrame: brief("main", app.state.selected),
            hovered: brief("main", panes.main.hovered),
            search: search(),
        }),
        // The frames that are drawn at least a pixel wide: {name, x, y, width, height, label, self, total, ...}, in pixels.
        frames: (pane: PaneName = "main") =>
            panes[pane].visibleFrames().map((place) => ({ ...brief(pane, place.frame), ...place })),
        // Every visible method: {name, self, total, ...}.
        methods,
        // The visible graph as an SVG file.
        svg: () => svgText(app, panes),
    });
    Object.assign(window, { candor: hook });
}
