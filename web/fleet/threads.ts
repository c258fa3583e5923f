// The threads of a JVM in a part of the time: one recording that the server still has, with its lanes and events. The samples that the
// server keeps for long have neither threads nor times to the millisecond.
import { plural } from "../model/figures";
import { Local, readPage } from "../model/local";
import { visibleName } from "../model/names";
import { Profile } from "../model/profile";
import { element } from "../page/dom";
import { AnswerError, Recording, RecordingsAnswer } from "./api";
import { jvmsOf } from "./jvms";
import { typeOfKind } from "./kinds";
import { Page } from "./page";
import { Span, recordingSelector } from "./state";
import { spanText } from "./times";

const MOST = "200";
export const ALL = "all"; // the samples of all recordings together

export interface Threads {
    list: Recording[]; // those of the time that can be read, the earliest first
    deleted: number; // those that are deleted, while their samples are kept
    opened: { recording: Recording; local: Local } | null;
    problem: string; // why the chosen one is not opened; "" = there is none
}

export const spanOfRecording = ({ start, end }: Recording): Span => ({ from: start, to: end + 1 });

function overlap(recording: Recording, { from, to }: Span): number {
    const own = spanOfRecording(recording);
    return Math.min(to, own.to) - Math.max(from, own.from);
}

// Asks for the recordings of a JVM in a time, and reads the one that was chosen; `any`: or else the one that has most of it. Returns null
// if the selection has several JVMs.
export async function askThreads({ state, questions }: Page, time: Span, any: boolean): Promise<Threads | null> {
    const { recordings } = await questions.ask<RecordingsAnswer>("/v1/recordings",
        { from: String(time.from), to: String(time.to), select: recordingSelector(state), limit: MOST });
    if (jvmsOf(recordings).length !== 1) {
        return null;
    }
    const list = recordings.filter((one) => one.raw && overlap(one, time) > 0).sort((a, b) => a.start - b.start);
    const wanted = list.find(({ id }) => String(id) === state.recording);
    const most = list.reduce<Recording | null>((best, one) => (best && overlap(best, time) >= overlap(one, time) ? best : one), null);
    const recording = wanted ?? (any && state.recording !== ALL ? most : null);
    const threads = { list, deleted: recordings.filter(({ raw }) => !raw).length, opened: null, problem: "" };
    if (!recording) {
        return threads;
    }
    try {
        const text = await questions.page(`/v1/recordings/${recording.id}/page`);
        return { ...threads, opened: { recording, local: await questions.keep(readPage("recording " + recording.id, text)) } };
    } catch (error) {
        if (error instanceof AnswerError) { // it may be too large, or has just been deleted; the samples are there all the same
            return { ...threads, problem: error.message };
        }
        throw error;
    }
}

// The kind of a recording's samples that has this type.
export function kindOfType({ profiles }: Local, type: string): string {
    return (profiles.find(({ kind }) => typeOfKind(kind) === type) ?? profiles[0] as Profile).kind;
}

// The choice between the recordings of the time, and all samples together.
export function chooser(page: Page, { list, deleted, opened, problem }: Threads): HTMLElement {
    const { zone } = page.state;
    const select = element("select", {}, new Option("all samples of this time together", ALL),
        ...list.map((one) => new Option(spanText(spanOfRecording(one), zone), String(one.id))));
    select.value = opened ? String(opened.recording.id) : ALL;
    select.addEventListener("change", () => page.change({ recording: select.value }));
    const text = list.length === 0
        ? (deleted > 0 ? `The ${plural(deleted, "recording")} of this time were deleted: their samples are kept, without the threads. `
            : "There is no recording with the threads of this time. ")
        : deleted > 0 ? `${plural(deleted, "other recording")} of this time were deleted. ` : "";
    return element("p", { className: "row of-threads" },
        element("label", {}, "Below: ", select), element("span", { className: "quiet" }, text
            + (problem !== "" ? `Its threads cannot be shown: ${visibleName(problem)}. ` : "")
            + (opened ? "Drag over the heat map or click a mark: why did nothing run?"
                : list.length > 0 ? "Choose a recording to see what each thread did." : "")));
}
