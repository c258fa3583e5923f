// The sentence at the top of the page.
import { answerOf } from "../model/answer";
import { INDEPENDENT, formatInterval, formatShare, wilson } from "../model/figures";
import { visibleName } from "../model/names";
import { OwnCode } from "../model/own";
import { findAll } from "./actions";
import { App } from "./app";
import { byId, element } from "./dom";
import { remember } from "./remember";

const MUCH = 0.2; // of the weight, in code that is not Java's: worth a sentence
const LONGEST = 120;

export function showAnswer(app: App): void {
    put(app, app.scenes.ownCode(app.state.own));
}

// Of the whole profile, whatever is in sight; a comparison has none.
const put = remember((app: App, code: OwnCode | null): void => {
    const { profile } = app;
    const { outside, method } = answerOf(profile.columns, profile.types, profile.strings, code);
    const whole = profile.whole || "weight";
    const parts: (Node | string)[] = [];
    if (outside && outside.weight >= MUCH * profile.total) {
        parts.push(formatShare(outside.weight / profile.total) + " of the " + whole + " is in " + placeOf(outside.label) + ". ");
    }
    if (method) {
        const share = method.weight / profile.total;
        const button = element("button", { type: "button", title: "Find it in the graph" },
            element("bdi", { dir: "ltr" }, visibleName(profile.strings[method.name]).slice(0, LONGEST)));
        button.addEventListener("click", () => findAll(app, method.name));
        parts.push(method.own ? "Your hottest method is " : "The hottest method is ", button,
            ": " + formatShare(share) + " ",
            element("span", { className: "interval" }, "(" + formatInterval(wilson(share, profile.effectiveSamples, INDEPENDENT)) + ")"),
            " of the " + whole, method.own ? ", with what it calls in libraries and the JDK." : ".");
    }
    byId("answer").hidden = profile.before !== null || parts.length === 0;
    byId("answer").replaceChildren(...parts);
});

function placeOf(label: string): string {
    return label === "kernel" ? "the kernel" : label === "work of the JVM" ? "the JVM's own work" : label;
}
