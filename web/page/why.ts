// Shows why little or nothing ran in the chosen time: the CPU time that was used, what stopped all threads, and for what single threads
// waited, each with a button that leads to the evidence.
import { formatCount, formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { Halt } from "../model/parts";
import { Profile } from "../model/profile";
import { Timeline } from "../model/slices";
import { GAP, HaltSum, Root, Span, bucketsOf, leavesOf, longestGap, paceOf, whyOf } from "../model/why";
import { App } from "./app";
import { element } from "./dom";
import { haltWord } from "./halts";
import { action } from "./widgets";

const LONGEST = 200;
const MOST = 4;

// The chosen time, or null if all of it is chosen or the time of day is unknown.
export function chosenSpan({ profile: { slices }, state: { from, to } }: App): Span | null {
    return slices && slices.startNs > 0 && (from > 0 || to >= 0)
        ? { from: slices.startNs + from * slices.bucketNs, to: slices.startNs + (to < 0 ? slices.buckets : to) * slices.bucketNs } : null;
}

// Whether little ran in these buckets.
export function isGap(slices: Timeline, from: number, to: number): boolean {
    const at = (bucket: number) => slices.startNs + bucket * slices.bucketNs;
    const { here, whole } = paceOf(slices, { from: at(from), to: at(to) });
    return here < GAP * whole;
}

const name = (text: string): HTMLElement => element("bdi", { dir: "ltr" }, visibleName(text).slice(0, LONGEST));
const time = (ns: number): string => formatValue(ns, "ns");

// Returns the panel. The profiles of CPU time and of the wall clock are read if need be, and what they say is added then.
export function whyPanel(app: App, span: Span): HTMLElement[] {
    const used = element("p", { className: "used" });
    const waits = element("li", { hidden: true });
    const list = element("ul", { className: "reasons" }, ...haltItems(app, span), waits);
    void app.kinds.readIfThere("cpu").then((profile) => {
        used.replaceChildren(...usedText(profile, span), ...gapButton(app, profile, span));
    });
    void app.kinds.readIfThere("wall").then((profile) => {
        const parts = profile ? wallItem(app, profile, span) : ["The recording has no wall-clock samples, which show what threads "
            + "wait for: candor record -e cpu,wall"];
        waits.hidden = parts.length === 0;
        waits.replaceChildren(...parts);
    });
    return [element("h2", {}, "Why did nothing run?"), used, list];
}

function usedText(profile: Profile | null, span: Span): string[] {
    const length = "In these " + time(span.to - span.from) + " ";
    if (!profile?.timeline || profile.timeline.startNs === 0) {
        return [length + "the CPU time is unknown: the recording has no samples of it with times."];
    }
    const { here, whole } = paceOf(profile.timeline, span);
    const cores = (pace: number) => formatValue(pace, "") + (pace === 1 ? " processor" : " processors");
    return [length + "the threads used " + cores(here) + ", and " + cores(whole) + " in the whole recording"
        + (here < GAP * whole ? "." : ": this is no gap.")];
}

// Leads to the longest gap of the recording, if the chosen time is none.
function gapButton(app: App, profile: Profile | null, span: Span): HTMLElement[] {
    const { timeline } = profile ?? { timeline: null };
    const shown = app.profile.slices;
    const gap = timeline && shown && timeline.startNs === shown.startNs && timeline.bucketNs === shown.bucketNs
        ? longestGap(timeline, 0, timeline.buckets) : null;
    if (!timeline || !gap || isGap(timeline, ...bucketsOf(timeline, span))) {
        return [];
    }
    const length = (gap[1] - gap[0]) * timeline.bucketNs;
    return [element("span", {}, " "), action("Show the longest gap, " + time(length), "The longest time in which little ran",
        () => app.change({ from: gap[0], to: gap[1] === timeline.buckets ? -1 : gap[1] }, true))];
}

function haltItems(app: App, span: Span): HTMLElement[] {
    const { halts } = app.panels ?? { halts: null };
    if (!halts) {
        return [element("li", {}, "The recording has no halts: candor record -e cpu,wall,halt --jfr on")];
    }
    const { length, stopped, ofAll, ofThreads, threads, roots, unlisted } = whyOf(halts, span);
    const evidence = () => action("Show these halts", "Each of them, with its time and cause", () => app.change({ panel: "halts" }, true));
    const all = element("li", {}, element("strong", {}, ofAll.length === 0 ? "No halt of all threads is known."
        : "All threads were stopped for " + time(stopped) + ", " + formatShare(stopped / length) + " of it. "),
    ...ofAll.slice(0, MOST).flatMap((sum) => haltText(sum, "")), ...(ofAll.length > 0 ? [evidence()] : []));
    const single = element("li", {}, element("strong", {}, plural(threads, "thread") + " waited. "),
        ...ofThreads.slice(0, MOST).flatMap((sum) => haltText(sum, " of all of them together")), evidence());
    const missing = element("li", {}, plural(unlisted, "further event")
        + " of the recording are not listed in this page: parts of halts, moments without a length, and the shortest halts.");
    return [...roots.slice(0, 1).map(rootItem), all, ...(threads > 0 ? [single] : []), ...(unlisted > 0 ? [missing] : [])];
}

function rootItem({ thread, held, halt }: Root): HTMLElement {
    return element("li", {}, element("strong", {}, plural(held, "thread") + " waited for ", name(thread)),
        ", directly or through each other. ",
        ...(halt ? ["That thread was in: " + haltWord(halt.kind) + " for " + time(halt.duration), ...detailOf({ ...halt, thread: "" }), "."]
            : ["No halt of that thread is listed: it ran, waited for a processor, or waited for something that was not recorded."]));
}

function haltText({ kind, count, ns, longest }: HaltSum, together: string): (Node | string)[] {
    return [haltWord(kind) + ": " + (count === 1 ? "" : formatCount(count) + " times, ") + time(ns) + (count === 1 ? "" : together),
        ...(count === 1 ? [] : ["; the longest " + time(longest.duration)]), ...detailOf(longest), ". "];
}

function detailOf({ what, thread, by, site }: Halt): (Node | string)[] {
    const part = (before: string, text: string) => (text === "" ? [] : [before, name(text)]);
    return [...part(", ", what), ...part(", thread ", thread), ...part(", caused by ", by), ...part(", at ", site)];
}

function wallItem(app: App, { slices, columns, strings, unit }: Profile, span: Span): (Node | string)[] {
    if (!slices || slices.startNs === 0 || unit !== "ns") {
        return [];
    }
    const leaves = leavesOf(slices, columns.name, ...bucketsOf(slices, span), MOST);
    return [element("strong", {}, leaves.length === 0 ? "No thread was seen in this time." : "Threads were seen most in "),
        ...leaves.flatMap((leaf, i) => [i === 0 ? "" : ", ", name(strings[leaf.name]), " " + formatShare(leaf.share)]),
        ...(leaves.length === 0 ? [] : [". ", action("Show their stacks", "All threads in this time, by the wall clock",
            () => void app.chooseKind(app.kinds.wordOf(app.kinds.find("wall"))))])];
}
