// The JVMs of a time: sets of labels of recordings, and when each of them last sent one. The server keeps no list of its own.
import { Recording, RecordingsAnswer } from "./api";
import { Page } from "./page";
import { State, quote, recordingSelector, timesOf } from "./state";

const MOST = "2000"; // recordings that are asked for, the latest first

export interface Jvm {
    key: string;
    service: string;
    labels: Record<string, string>; // without the service
    recordings: number;
    bytes: number;
    first: number; // seconds since the epoch: the earliest start, and the latest end
    last: number;
    agent: string; // the version of its agent, by the latest recording; "" = unknown
    soonest: number; // seconds from the end of a recording, by the host's clock, to its arrival: the least; below 0 = that clock is ahead
}

export interface Jvms {
    list: Jvm[]; // those of the busiest service first, by labels
    recordings: number;
    cut: boolean; // there are older recordings in that time, which may be of more JVMs
}

export async function askJvms(page: Page, state: State): Promise<Jvms> {
    const answer = await page.questions.ask<RecordingsAnswer>("/v1/recordings",
        { ...timesOf(state), select: recordingSelector(state), limit: MOST });
    return { list: jvmsOf(answer.recordings), recordings: answer.recordings.length, cut: answer.recordings.length >= Number(MOST) };
}

export function jvmsOf(recordings: Recording[]): Jvm[] {
    const known = new Map<string, Jvm>();
    for (const { service, labels, bytes, start, end, received, agent } of recordings) {
        const others = othersOf(labels);
        const key = JSON.stringify([service, ...Object.entries(others)]);
        const jvm = known.get(key) ?? { // the latest recording comes first
            key, service, labels: others, recordings: 0, bytes: 0, first: start, last: end, agent: agent ?? "", soonest: Infinity,
        };
        jvm.recordings++;
        jvm.bytes += bytes;
        jvm.first = Math.min(jvm.first, start);
        jvm.last = Math.max(jvm.last, end);
        jvm.soonest = Math.min(jvm.soonest, received - end);
        known.set(key, jvm);
    }
    return [...known.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function othersOf(labels: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== "service").sort(([a], [b]) => (a < b ? -1 : 1)));
}

// The matchers that select a JVM's recordings.
export function matchersOfLabels(labels: Record<string, string>): string[] {
    return Object.entries(othersOf(labels)).map(([name, value]) => name + "=" + quote(value));
}

export function labelsText(labels: Record<string, string>): string {
    return Object.entries(othersOf(labels)).map(([name, value]) => name + "=" + value).join(", ") || "no labels";
}
