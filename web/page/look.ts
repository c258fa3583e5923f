// Determines the look of the frames of a pane: colors by package, by type, or by change.
import { THEMES, changeStep, paint, paintChanges } from "../draw/colours";
import { Look } from "../draw/renderer";
import { Tree } from "../model/tree";
import { App, PaneName } from "./app";
import { changeIn, methodChange } from "./describe";
import { namesMarked } from "./named";
import { remember } from "./remember";
import { groupsOf } from "./show";

export function lookOf(app: App, pane: PaneName): Look {
    const { colour, theme } = app;
    const matches = app.matchesOf(pane);
    const marked = namesMarked(app.profile, app.namings, app.profile.strings.length);
    if (colour === "change") {
        return { theme: THEMES[theme], colours: paintChanges(theme), groupOf: byChange(app), matches, marked };
    }
    const { groups, groupOf } = groupsOf(app, colour);
    return { theme: THEMES[theme], colours: paint(groups, theme), groupOf, matches, marked };
}

// The largest change of any method. The other changes are compared with it.
const largestChange = remember((app: App, tree: Tree) => {
    let largest = 0;
    for (const method of app.scenes.methodsOf(tree)) {
        const { change, sure } = methodChange(app, method, "total");
        largest = sure ? Math.max(largest, Math.abs(change)) : largest;
    }
    return largest;
});

function byChange(app: App): Look["groupOf"] {
    const largest = largestChange(app, app.scene.calls);
    return ({ total, otherTotal }, frame) => {
        const { change, sure } = changeIn(app, total[frame], otherTotal ? otherTotal[frame] : 0);
        return changeStep(largest > 0 ? change / largest : 0, sure);
    };
}
