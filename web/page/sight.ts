// Shows the bar that names the visible part of the profile. Each choice in it can be undone.
import { bucketTime } from "../model/clock";
import { formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { App } from "./app";
import { byId, element } from "./dom";
import { State } from "./state";
import { chosenSpan } from "./why";

const LONGEST = 120;
export const COARSE = " (coarse)"; // after figures of a coarse picture

interface Chip {
    label: string;
    without: Partial<State>; // the change that undoes the choice
}

const LISTS = [["focus", "Only with"], ["drop", "Without stacks of"], ["hide", "Hidden:"]] as const;

function chipsOf({ state, profile }: App): Chip[] {
    const name = (at: number) => visibleName(profile.strings[at]).slice(0, LONGEST);
    const chips: Chip[] = [];
    if (state.view === "sandwich") {
        chips.push({ label: "Callers and callees of " + name(state.method), without: { view: "calls", method: -1 } });
    }
    for (const [key, label] of LISTS) {
        for (const at of state[key]) {
            chips.push({ label: label + " " + name(at), without: { [key]: state[key].filter((other) => other !== at) } });
        }
    }
    const { slices } = profile;
    if (slices && (state.from > 0 || state.to >= 0)) {
        const end = state.to < 0 ? slices.buckets : state.to;
        chips.push({ label: "Time " + bucketTime(slices, state.from) + " to " + bucketTime(slices, end), without: { from: 0, to: -1 } });
    }
    if (slices && state.threads.length > 0) {
        const label = state.threads.length === 1 ? "Thread " + visibleName(slices.threads[state.threads[0]]).slice(0, LONGEST)
            : plural(state.threads.length, "thread");
        chips.push({ label, without: { threads: [] } });
    }
    return chips;
}

export function showSight(app: App): void {
    const { scene, profile, state } = app;
    const chips = chipsOf(app);
    byId("sight").hidden = chips.length === 0;
    const whole = state.width === "before" && profile.before ? profile.before.total : profile.total;
    const weight = scene.tree.total[0];
    byId("sight-text").textContent = "In sight: " + formatValue(weight, profile.unit) + ", "
        + formatShare(whole > 0 ? weight / whole : 0) + " of the profile" + (scene.coarse ? COARSE : "");
    byId("chips").replaceChildren(...chips.map(({ label, without }) => {
        const button = element("button", { type: "button", title: "Take back: " + label },
            element("bdi", { dir: "ltr" }, label), element("span", { ariaHidden: "true" }, " ×"));
        button.addEventListener("click", () => app.change(without, true));
        return element("li", {}, button);
    }));
    byId("why").hidden = chosenSpan(app) === null || !app.isOfPage;
}

export const NOTHING_CHOSEN: Partial<State> = {
    view: "calls", method: -1, focus: [], drop: [], hide: [], from: 0, to: -1, threads: [],
};
