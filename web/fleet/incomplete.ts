// Explains, above every view, what its answers lack and how fine their times are. The questions collect both from the answers.
import { byId, element } from "../page/dom";
import { timeText, zoneText } from "./times";

export interface Coarse {
    from: number; // seconds since the epoch
    to: number;
    step: number; // seconds
}

// Reasons of incomplete answers (docs/formats/server-api.md), and what to do about them.
const REASONS: Record<string, string> = {
    damaged: "A file of samples could not be read just now. The server makes it again from the recordings, if it still has them.",
    unsealed: "The disk was full, or a damaged file is being made again. Ask again later.",
    lost: "Samples are damaged, and so are the recordings that they came from, or these were deleted. They will not come back.",
    retain: "Deleted, because it is older than the server keeps samples (--retain). Choose a later time.",
    max_disk: "Deleted, because the server's disk space is limited (--max-disk).",
    max_disk_per_service: "Deleted, because each service's disk space is limited (--max-disk-per-service).",
    coarse: "The server keeps only sums by the hour or the day of that time, and the chosen time has only a part of one. "
        + "Choose whole hours or days.",
    rebuilt: "The server's catalog was damaged and made again. It no longer knows the recordings of which only samples were kept.",
    rereading: "The server's catalog was lost, and it still reads recordings again. Ask again later; its log says how far it is.",
    waiting: "Receivers have left recordings in object storage, and the server has not taken them over yet. Ask again later.",
    unlabeled: "Stored by an earlier version of the server, without labels of samples. Leave the label out to see it.",
    unread: "The recordings were deleted, or there was no time to read all of them. Choose a shorter time.",
    flawed: "Recordings were damaged when they came. Their readable part is included.",
};

export class Incomplete {
    private reasons = new Set<string>();
    private coarse = new Map<string, Coarse>();
    private texts: string[] = [];
    private open = false;

    begin(): void {
        this.reasons = new Set();
        this.coarse = new Map();
    }

    // Notes what an answer says about itself.
    note(answer: unknown): void {
        const of = answer as { missing?: object; coarse?: Coarse[]; server?: { missing?: object; coarse?: Coarse[] } } | null;
        for (const part of [of, of?.server]) {
            Object.keys(part?.missing ?? {}).forEach((reason) => this.reasons.add(reason));
            (part?.coarse ?? []).forEach((one) => this.coarse.set(JSON.stringify(one), one));
        }
    }

    // The page says once that the answers are incomplete, so their texts need not.
    say(texts: string[]): void {
        this.texts = texts.map((text) => text.replace(/^incomplete: /, ""));
        this.show();
    }

    show(): void {
        const { texts } = this;
        const why = [...this.reasons].flatMap((reason) => REASONS[reason] ?? []);
        const more = element("details", { open: this.open }, element("summary", {}, "Why, and what to do"),
            element("ul", {}, ...why.map((text) => element("li", {}, text))));
        more.addEventListener("toggle", () => { this.open = more.open; });
        byId("partial").hidden = texts.length === 0;
        byId("partial").replaceChildren(texts.join("; "), ...(why.length > 0 ? [" ", more] : []));
    }

    showCoarse(zone: string): void {
        const all = [...this.coarse.values()].sort((a, b) => a.from - b.from);
        const word = (step: number) => (step >= 86_400 ? "day" : "hour");
        byId("coarse").hidden = all.length === 0;
        byId("coarse").textContent = all.map(({ from, to, step }) =>
            `From ${timeText(from, zone)} to ${timeText(to, zone)} (${zoneText(zone)}) the server keeps only sums by the ${word(step)}, `
            + "because its samples are older than --retain. Weights are exact; in a chart the sum is at the beginning of its "
            + word(step) + ".").join(" ");
    }
}
