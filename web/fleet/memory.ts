// Memory: which classes are allocated, and which are alive, by bytes.
import { formatShare } from "../model/figures";
import { readLive } from "../model/live";
import { readPage } from "../model/local";
import { visibleName } from "../model/names";
import { element } from "../page/dom";
import { livePanel } from "../page/live";
import { AnswerError, Recording, RecordingsAnswer } from "./api";
import { labelsText } from "./jvms";
import { ALLOCATION, rateText, titleOfType } from "./kinds";
import { Leaves, leafColumns, leafTable } from "./leaves";
import { OfClasses } from "./ofclasses";
import { Page } from "./page";
import { bringIntoSight, className, link } from "./parts";
import { recordingSelector, timesOf } from "./state";
import { spanOfRecording } from "./threads";
import { spanText } from "./times";

const LIVE = "inuse_space:bytes";
const NATIVE = "malloc_space:bytes";
const LONGEST = 200;
const MOST = "20";
const TRIED = 2; // of the latest recordings

export class Memory extends OfClasses {
    readonly word = "memory";
    readonly title = "Memory";
    private readonly growth = element("section", { className: "growth" });

    constructor() {
        super([ALLOCATION, LIVE, NATIVE], "candor daemon -e cpu,alloc");
        this.root.append(this.growth);
    }

    override async load(page: Page): Promise<void> {
        this.growth.replaceChildren();
        await super.load(page);
        const { state, questions } = page;
        const { recordings } = await questions.ask<RecordingsAnswer>("/v1/recordings",
            { ...timesOf(state), select: recordingSelector(state), limit: MOST });
        const list = recordings.filter(({ raw }) => raw);
        if (state.service === "") { // of all services, some recording would be chosen by chance
            this.growth.replaceChildren(...(list.length === 0 ? [] : [element("p", { className: "aside" },
                "Choose a service to see what grows in it, and what holds it.")]));
            return;
        }
        const chosen = list.filter(({ id }) => String(id) === state.recording);
        for (const recording of chosen.length > 0 ? chosen : list.slice(0, TRIED)) {
            const made = await this.growthOf(page, list, recording).catch((error: unknown) => {
                if (error instanceof AnswerError) { // it may be too large, or has just been deleted; the tables are there all the same
                    return [element("p", { className: "aside" }, "What grows is unknown: " + visibleName(error.message))];
                }
                throw error;
            });
            if (made.length > 0) {
                this.growth.replaceChildren(...made);
                return;
            }
        }
        this.growth.replaceChildren(element("p", { className: "aside" }, list.length === 0
            ? "What grows is unknown: the recordings of this time are deleted, or none has been received."
            : "What grows is unknown: the latest recordings have no live objects (candor daemon -e cpu,alloc,live)."));
    }

    // What a recording says about the objects that stay alive: the samples that the server keeps for long lack when they were allocated,
    // and what holds them. Empty if the recording has no live objects.
    private async growthOf(page: Page, list: Recording[], recording: Recording): Promise<HTMLElement[]> {
        const { zone } = page.state;
        const text = await page.questions.page(`/v1/recordings/${recording.id}/page`);
        const { parts } = await page.questions.keep(readPage("recording " + recording.id, text));
        const live = readLive(parts("live"));
        if (!live) {
            return [];
        }
        const name = (one: Recording) => `${one.service}, ${labelsText(one.labels)}, ${spanText(spanOfRecording(one), zone)}`;
        const select = element("select", {}, ...list.map((one) => new Option(visibleName(name(one)).slice(0, LONGEST), String(one.id))));
        select.value = String(recording.id);
        select.addEventListener("change", () => page.change({ recording: select.value }));
        const inside = (site: string) => ({ view: "recordings", recording: String(recording.id),
            graph: new URLSearchParams({ kind: "live", query: site }).toString() });
        return [element("h2", {}, "What grows, and what holds it"), element("p", { className: "row" },
            element("label", {}, "In the recording ", select), link("Open it", page.link(inside("")))),
        ...livePanel(live, (site) => page.change(inside(site)))];
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
        const down = element("button", { type: "button" }, "What grows, and what holds it");
        down.addEventListener("click", () => bringIntoSight(this.growth));
        return [element("p", { className: "row" }, link("The heap after each collection, and the pauses of collections, over time",
            page.link({ view: "timeline", part: "" })), down), ...made];
    }
}
