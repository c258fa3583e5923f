// Describes a frame and its time, for the tooltip, for the line under the graph, and for tests.
import { ROOT_LABEL } from "../draw/renderer";
import { Change, changeOf } from "../model/changes";
import { bucketTime } from "../model/clock";
import { formatPointRange, formatPoints, formatInterval, formatShare, formatValue, plural, wilson } from "../model/figures";
import { Method } from "../model/methods";
import { visibleName } from "../model/names";
import { Profile } from "../model/profile";
import { Tree, selfEffect, totalEffect } from "../model/tree";
import { App, PaneName } from "./app";

export interface Row {
    label: string;
    value: string;
    share: string;
    interval: string;
}

export interface Description {
    name: string;
    type: string;
    rows: Row[];
    notes: string[]; // more facts, one per line
    findings: string[]; // that name the frame
}

// Returns the words for the total and the self of a frame.
function labelsOf(app: App, pane: PaneName): [string, string] {
    if (pane === "upper") {
        return ["Time of the method through here", "Stacks that begin here"];
    }
    return app.state.view === "callers" ? ["Leaf time through here", "Stacks that begin here"] : ["Total", "Self"];
}

export function describeFrame(app: App, pane: PaneName, frame: number): Description {
    const { profile, scene } = app;
    const tree = app.treeOf(pane);
    const zoom = app.zoomOf(pane);
    const row = (label: string, value: number, effect: number): Row => ({
        label,
        value: formatValue(value, profile.unit),
        share: formatShare(value / scene.all),
        interval: formatInterval(wilson(value / scene.all, scene.effectiveSamples, effect)),
    });
    const labels = labelsOf(app, pane);
    const reason = profile.reasons.get(tree.name[frame]);
    const notes: string[] = reason === undefined ? [] : [visibleName(reason)];
    if (zoom > 0 && tree.depth[frame] > tree.depth[zoom]) {
        notes.push(formatShare(tree.total[frame] / tree.total[zoom]) + " of the zoomed frame");
    }
    if (tree.timed && profile.slices) {
        const { slices } = profile;
        const [from, to] = [tree.timed.from[frame], tree.timed.to[frame]].map((bucket) => bucketTime(slices, bucket));
        notes.push("seen from " + from + " to " + to);
    }
    if (tree.folded && tree.folded[frame] > 0) {
        notes.push("with " + plural(tree.folded[frame], "caller") + " of the same width folded into it");
    }
    if (tree.otherTotal) {
        notes.push(changeText(app, tree.total[frame], tree.otherTotal[frame]));
    }
    return {
        name: nameOf(profile, tree, frame),
        type: frame === 0 && tree.root < 0 ? "Root" : visibleName(profile.types[tree.type[frame]]),
        rows: [
            row(labels[0], tree.total[frame], totalEffect(tree, frame)),
            row(labels[1], tree.self[frame], selfEffect(tree, frame)),
        ],
        notes,
        findings: app.namingsOf(pane, frame).map(({ title }) => "Finding: " + visibleName(title)),
    };
}

// Returns the change of a figure from before to after, whichever profile determines the width of the picture. `tests` is that of changeOf.
export function changeIn({ scene, state }: App, value: number, other: number, tests = 0): Change {
    const here: [number, number] = [scene.all > 0 ? value / scene.all : 0, scene.effectiveSamples];
    const there: [number, number] = [scene.otherAll > 0 ? other / scene.otherAll : 0, scene.otherEffective];
    return state.width === "before" ? changeOf(...here, ...there, tests) : changeOf(...there, ...here, tests);
}

// Returns the change of a method. If all samples are visible, this is the change that the program computed from the samples. Otherwise, the
// page computes it, as one of the changes of all visible methods.
export function methodChange(app: App, method: Method, key: "self" | "total"): Change {
    const [value, other] = key === "self" ? [method.self, method.otherSelf] : [method.total, method.otherTotal];
    const found = changeIn(app, value, other, app.scenes.methodsOf(app.scene.calls).length);
    const { from, to, threads, focus, drop, hide, recursion } = app.state;
    const all = from === 0 && to < 0 && threads.length + focus.length + drop.length + hide.length === 0 && !recursion;
    const given = all ? app.profile.changes.get(method.name) : undefined;
    return given ? { ...found, ...given[key] } : found;
}

function changeText(app: App, value: number, other: number): string {
    const { before, after, change, interval, sure } = changeIn(app, value, other);
    const range = interval ? " (" + formatPointRange(interval) + ")" : "";
    return formatShare(before) + " before, " + formatShare(after) + " after: " + formatPoints(change) + range
        + (sure ? "" : ", no sure change");
}

export function nameOf(profile: Profile, tree: Tree, frame: number): string {
    return frame === 0 && tree.root < 0 ? ROOT_LABEL : visibleName(profile.strings[tree.name[frame]]);
}
