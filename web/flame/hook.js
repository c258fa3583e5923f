// window.candor: the page's state as plain data, for scripts that read profiles and for tests. It changes nothing.
import { describeFrame, nameOf } from "./describe.js";

export function offerHook(app, graph) {
    const brief = (frame) => frame < 0 ? null : {
        frame,
        parent: app.tree.parent[frame],
        depth: app.tree.depth[frame],
        self: app.tree.self[frame],
        total: app.tree.total[frame],
        ...describeFrame(app.profile, app.tree, frame, app.state),
        name: app.profile.strings[app.tree.name[frame]],
        shownName: nameOf(app.profile, app.tree, frame),
    };
    const search = () => {
        const { found } = app;
        return found && found.found
            ? { frames: found.found.frames, methods: found.found.methods, weight: found.weight, position: app.position }
            : found;
    };
    window.candor = Object.freeze({
        // What is chosen and what follows from it.
        state: () => ({
            ...app.state,
            themeShown: app.theme,
            tableShown: app.tableShown,
            nodes: app.tree.count,
            total: app.tree.total[0],
            rows: graph.geometry ? graph.geometry.rows : 0,
            drawn: graph.drawn,
            drawTime: graph.drawTime,
            zoomed: brief(app.state.zoom),
            selectedFrame: brief(app.state.selected),
            hovered: brief(graph.hovered),
            search: search(),
        }),
        // The frames drawn at least a pixel wide: {name, x, y, width, height, label, self, total, ...}, in pixels.
        frames: () => graph.visibleFrames().map((place) => ({ ...brief(place.frame), ...place })),
    });
}
