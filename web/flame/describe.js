// Says what a frame is and how much time it took, for the tooltip, the line under the graph, and tests.
import { formatInterval, formatShare, formatValue, wilson } from "./figures.js";
import { ROOT_LABEL } from "./renderer.js";
import { visibleName } from "./names.js";

// Returns {name, type, rows: [{label, value, share, interval}], ofZoom} with texts only. `view` says which tree it is.
export function describeFrame(profile, tree, frame, { view, zoom }) {
    const all = tree.total[0];
    const belowZoom = zoom > 0 && tree.depth[frame] > tree.depth[zoom];
    const row = (label, value, effect) => ({
        label,
        value: formatValue(value, profile.unit),
        share: formatShare(value / all),
        interval: formatInterval(wilson(value / all, profile.effectiveSamples, effect)),
    });
    const labels = view === "callers" ? ["Leaf time through here", "Stacks that begin here"] : ["Total", "Self"];
    return {
        name: nameOf(profile, tree, frame),
        type: frame === 0 ? "Root" : visibleName(profile.types[tree.type[frame]]),
        rows: [row(labels[0], tree.total[frame], tree.totalEffect[frame]), row(labels[1], tree.self[frame], tree.selfEffect[frame])],
        ofZoom: belowZoom ? formatShare(tree.total[frame] / tree.total[zoom]) : "",
    };
}

export function nameOf(profile, tree, frame) {
    return frame === 0 ? ROOT_LABEL : visibleName(profile.strings[tree.name[frame]]);
}
