// The callers of a function and what it calls, in all stacks in which it is, and those stacks in the viewer.
import { Neighbour, aroundOf } from "../model/around";
import { INDEPENDENT, formatInterval, formatShare, formatValue, plural, wilson } from "../model/figures";
import { visibleName } from "../model/names";
import { Profile, profileOf } from "../model/profile";
import { element } from "../page/dom";
import { GraphAnswer, Parameters } from "./api";
import { Page } from "./page";
import { link, methodName } from "./parts";
import { State } from "./state";
import { tableOf } from "./table";

const MOST_ROWS = 12;

export class Neighbours {
    readonly root = element("div", { className: "two neighbours" });

    // to: the choices that lead to a function. Returns what the answer lacks.
    async load(page: Page, name: string, asked: Parameters, to: (name: string) => Partial<State>): Promise<string | undefined> {
        const answer = await page.questions.ask<GraphAnswer>("/v1/flamegraph", asked);
        const profile = await page.questions.keep(profileOf(answer.page));
        const around = aroundOf(profile.columns, profile.strings.indexOf(name));
        const of = visibleName(name);
        this.root.replaceChildren(
            this.tableOf(page, profile, "Called from", "Callers of " + of, around.callers, around.total, to),
            this.tableOf(page, profile, "Calls", "What " + of + " calls", around.callees, around.total, to,
                `${formatShare(around.total > 0 ? around.self / around.total : 0)} is in the function itself.`));
        if (profile.total > 0) {
            page.viewer.show(profile);
        } else {
            page.viewer.hide();
        }
        return answer.server.missing_text;
    }

    private tableOf(page: Page, profile: Profile, heading: string, caption: string, rows: Neighbour[], total: number,
        to: (name: string) => Partial<State>, rest = ""): HTMLElement {
        const more = rows.length - MOST_ROWS;
        const words = [rest, more > 0 ? plural(more, "more method") + ", each with less." : ""].filter((text) => text !== "").join(" ");
        const interval = (share: number) => formatInterval(wilson(share, profile.effectiveSamples, INDEPENDENT));
        return element("section", {}, element("h3", {}, heading), rows.length === 0 ? element("p", { className: "aside" }, "Nothing.")
            : tableOf(caption, [
                { title: "Method", kind: "method", cell: ({ name }: Neighbour) => (name === 0 ? ["(a thread begins here)"]
                    : [link(methodName(profile.strings[name]), page.link(to(profile.strings[name])), "This function over the fleet")]) },
                { title: "Share", kind: "number", hint: "of the function and what it calls; the 95% interval", cell: ({ weight }) =>
                    [formatShare(weight / total), element("span", { className: "quiet" }, " (" + interval(weight / total) + ")")] },
                { title: "Weight", kind: "number", cell: ({ weight }) => formatValue(weight, profile.unit) },
            ], rows.slice(0, MOST_ROWS)), ...(words === "" ? [] : [element("p", { className: "aside" }, words)]));
    }
}
