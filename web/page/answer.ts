// Shows the sentence at the top of the page.
import { answerOf } from "../model/answer";
import { changedWord, sureChanges } from "../model/changes";
import { INDEPENDENT, formatPointRange, formatPoints, formatInterval, formatShare, plural, wilson } from "../model/figures";
import { HOLDER_RUNS, JVM_WORK, visibleName } from "../model/names";
import { OwnCode } from "../model/own";
import { Profile } from "../model/profile";
import { findAll } from "./actions";
import { App } from "./app";
import { byId, element } from "./dom";
import { remember } from "./remember";
import { COARSE } from "./sight";

const MUCH = 0.2; // the least share of the weight that makes the sentence mention code other than Java's
const LONGEST = 120;
// The beginning of the sentence about the first method, by kind of sample: for the program's own method, and for any other.
const MOST: Record<string, [string, string]> = {
    cpu: ["Your hottest method is", "The hottest method is"],
    wall: ["Your threads spend most time in", "Threads spend most time in"],
    alloc: ["Your method that allocates most is", "The method that allocates most is"],
    live: ["Your method that allocated most of the live memory is", "The method that allocated most of the live memory is"],
    lock: ["Your threads wait for locks most in", "Threads wait for locks most in"],
    holder: ["Threads wait most for a lock that is held in your method", "Threads wait most for a lock that is held in"],
    waiting: ["Your threads wait most in", "Threads wait most in"],
    nativemem: ["Your method that allocates most native memory is", "The method that allocates most native memory is"],
    nativeleak: ["Your method with most native memory that is not freed is", "The method with most native memory that is not freed is"],
};

export function showAnswer(app: App): void {
    if (app.profile.before) {
        putChanges(app, app.profile);
        return;
    }
    put(app, app.profile, app.scenes.ownCode(app.state.own));
}

// Shows what surely changed between the whole profiles.
const putChanges = remember((app: App, profile: Profile): void => {
    const [first, ...others] = sureChanges(profile);
    byId("answer").hidden = false;
    if (!first) {
        byId("answer").replaceChildren("No method's own share " + changedWord(profile) + ".");
        return;
    }
    byId("answer").replaceChildren(
        "The own share of " + plural(others.length + 1, "method") + " " + changedWord(profile) + ", most of all that of ",
        nameButton(app, first.name),
        ": " + formatShare(first.before) + " before, " + formatShare(first.after) + " after, " + formatPoints(first.change) + " ",
        element("span", { className: "interval" }, first.interval ? "(" + formatPointRange(first.interval) + ")" : ""),
        " of the " + (profile.whole || "weight") + ".");
});

function nameButton(app: App, name: number): HTMLElement {
    const button = element("button", { type: "button", title: "Find it in the graph" },
        element("bdi", { dir: "ltr" }, visibleName(app.profile.strings[name]).slice(0, LONGEST)));
    button.addEventListener("click", () => findAll(app, name));
    return button;
}

// Shows the sentence for the whole profile, whatever part is visible.
const put = remember((app: App, profile: Profile, code: OwnCode | null): void => {
    const { outside, method } = answerOf(profile.columns, profile.types, profile.strings, code);
    const whole = profile.whole || "weight";
    const parts: (Node | string)[] = [];
    if (outside && outside.weight >= MUCH * profile.total) {
        const share = formatShare(outside.weight / profile.total) + " of the " + whole;
        parts.push(outside.label === HOLDER_RUNS ? "In " + share + " the thread with the lock was running. "
            : share + " is in " + placeOf(outside.label) + ". ");
    }
    if (method) {
        const share = method.weight / profile.total;
        const [yours, any] = MOST[Object.hasOwn(MOST, profile.kind) ? profile.kind : "cpu"];
        parts.push(method.own ? yours : any, " ", nameButton(app, method.name),
            ": " + formatShare(share) + " ",
            element("span", { className: "interval" }, "(" + formatInterval(wilson(share, profile.effectiveSamples, INDEPENDENT)) + ")"),
            " of the " + whole, method.own ? ", including the methods of libraries and the JDK that it calls." : ".");
    }
    parts.push(profile.rest ? COARSE : "");
    byId("answer").hidden = parts.every((part) => part === "");
    byId("answer").replaceChildren(...parts);
});

function placeOf(label: string): string {
    return label === "kernel" ? "the kernel" : label === JVM_WORK ? "the JVM's own work" : label;
}
