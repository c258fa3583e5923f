// The table of methods beside the graph.
import { element } from "./dom.js";
import { formatShare, formatValue, plural, formatInterval, wilson } from "./figures.js";
import { splitName, visibleName } from "./names.js";

const ROWS = 200;
const LONGEST_NAME = 400;

// Class and method first, because the end of a long text is cut.
function methodButton(name) {
    const text = name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) + "…" : name;
    const parts = splitName(text);
    const button = element("button", { type: "button", title: visibleName(text), className: "method" },
        element("bdi", { dir: "ltr" }, visibleName(parts.method)),
        element("bdi", { dir: "ltr", className: "package" }, visibleName(parts.package)));
    button.setAttribute("aria-label", visibleName(text));
    return button;
}

// Fills the table's body with the first of `methods`; `picked` is the name whose row is marked, or -1. Returns the text
// for the caption.
export function showMethods(body, profile, methods, picked) {
    const all = profile.tree.total[0];
    const figure = (value, effect) => {
        const share = value / all;
        const interval = formatInterval(wilson(share, profile.effectiveSamples, effect));
        const title = formatValue(value, profile.unit) + ", 95% interval " + interval;
        return element("td", { title }, formatShare(share));
    };
    body.replaceChildren(...methods.slice(0, ROWS).map(({ name, self, total }) => {
        const button = methodButton(profile.strings[name]);
        button.dataset.name = name;
        button.setAttribute("aria-pressed", String(name === picked));
        return element("tr", { className: name === picked ? "picked" : "" },
            figure(self, profile.effects.self[name]), figure(total, profile.effects.total[name]), element("td", {}, button));
    }));
    return (methods.length > ROWS ? "The first " + ROWS + " of " : "") + plural(methods.length, "method");
}
