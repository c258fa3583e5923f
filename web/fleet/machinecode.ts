// The machine code of a function, from the newest recordings that have it. The server keeps code only in recordings, so a few are read
// when the user asks.
import { plural } from "../model/figures";
import { readPage } from "../model/local";
import { element } from "../page/dom";
import { RecordingsAnswer } from "./api";
import { labelsText } from "./jvms";
import { Page } from "./page";
import { link, nameOf, refusal, visibleLines } from "./parts";
import { State, quote, recordingSelector, timesOf } from "./state";
import { spanText } from "./times";

const MOST_READ = 3; // recordings of megabytes

export class MachineCode {
    readonly root = element("details", { className: "machine-code" });
    private readonly content = element("div", {});
    private page: Page | null = null;
    private name = "";
    private services: string[] = [];
    private asked = false;

    constructor() {
        this.root.append(element("summary", {}, "Machine code"), this.content);
        this.root.addEventListener("toggle", () => {
            if (this.root.open && !this.asked) {
                void this.find();
            }
        });
    }

    // services: those in which the function runs, the one with most of it first.
    load(page: Page, name: string, services: string[]): void {
        Object.assign(this, { page, name, services, asked: false });
        this.root.open = false;
    }

    private async find(): Promise<void> {
        const { page, name, services: [service] } = this;
        if (!page || service === undefined) {
            return;
        }
        this.asked = true;
        this.say("Reading recordings …");
        try {
            await this.readNewest(page, name, service);
        } catch (error) {
            this.asked = false;
            this.say(refusal(error, "the scope read"));
        }
    }

    private async readNewest(page: Page, name: string, service: string): Promise<void> {
        const { questions, state } = page;
        const select = recordingSelector({ ...state, service: "", where: [...state.where, "service=" + quote(service)] });
        const { recordings } = await questions.ask<RecordingsAnswer>("/v1/recordings",
            { ...timesOf(state), select, limit: String(MOST_READ) });
        const kept = recordings.filter(({ raw }) => raw);
        for (const one of kept) {
            const { profiles } = await questions.keep(questions.page(`/v1/recordings/${one.id}/page`)
                .then((text) => readPage("recording " + one.id, text)));
            const texts = profiles.flatMap(({ code, strings }) => code.get(strings.indexOf(name)) ?? []);
            if (texts.length > 0) {
                this.content.replaceChildren(element("p", { className: "aside" }, "As ", nameOf(labelsText(one.labels)), " of ",
                    nameOf(service), " ran it, ", spanText({ from: one.start, to: one.end + 1 }, state.zone), ": ",
                    link("the recording", page.link(this.recording(service, one.id)), "All of it, in the viewer")),
                element("pre", { className: "rule-text", tabIndex: 0 }, [...new Set(texts)].map(visibleLines).join("\n\n")));
                return;
            }
        }
        const many = plural(kept.length, "newest recording");
        this.say(kept.length === 0 ? "The server has deleted the recordings of this time, and keeps only their samples."
            : `None of the ${many} of this time has machine code of this function. Recordings have it with: candor record --asm`);
    }

    private recording(service: string, id: number): Partial<State> {
        return { view: "recordings", service: "", where: ["service=" + quote(service)], recording: String(id), match: "", graph: "" };
    }

    private say(text: string): void {
        this.content.replaceChildren(element("p", { className: "aside" }, text));
    }
}
