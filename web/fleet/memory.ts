// Memory: which classes are allocated, and which are alive, by bytes.
import { formatShare } from "../model/figures";
import { element } from "../page/dom";
import { ALLOCATION, rateText, titleOfType } from "./kinds";
import { Leaves, leafColumns, leafTable } from "./leaves";
import { OfClasses } from "./ofclasses";
import { Page } from "./page";
import { className, link } from "./parts";

const LIVE = "inuse_space:bytes";
const NATIVE = "malloc_space:bytes";

export class Memory extends OfClasses {
    readonly word = "memory";
    readonly title = "Memory";

    constructor() {
        super([ALLOCATION, LIVE, NATIVE], "candor daemon -e cpu,alloc");
    }

    protected say(answers: Map<string, Leaves>): (Node | string)[] {
        const [first] = [...answers.values()].filter(({ list }) => list.length > 0);
        const { type, seconds, list: [top] } = first;
        const rate = type === LIVE ? "" : `${rateText(type, top.self / seconds)}, `;
        return [className(top.name), ` has most: ${rate}${formatShare(top.self_share)} of the `
            + `${titleOfType(type).toLowerCase()}.`];
    }

    protected tables(page: Page, answers: Map<string, Leaves>): HTMLElement[] {
        const made = [...answers].filter(([, { list }]) => list.length > 0).flatMap(([type, leaves]) => [
            element("h2", {}, titleOfType(type)),
            ...leafTable(titleOfType(type) + " by class", leafColumns(page, leaves, "Class", "Bytes a second"), leaves.list)]);
        return [element("p", { className: "aside" }, link("The heap after each collection, and the pauses of collections, over time",
            page.link({ view: "timeline", part: "" }))), ...made];
    }
}
