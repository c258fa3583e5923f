// The viewer inside this page. Its address is a part of the page's address.
import { Local } from "../model/local";
import { PartReader } from "../model/parts";
import { Profile } from "../model/profile";
import { Timeline } from "../model/slices";
import { longestGap } from "../model/why";
import { App, Address } from "../page/app";
import { listenToDialogs } from "../page/controls";
import { byId } from "../page/dom";
import { Kinds } from "../page/kinds";
import { Naming } from "../page/named";
import { startViewer } from "../page/viewer";
import { Span } from "./state";

const NO_PARTS: PartReader = () => null; // profiles of many recordings

export class Embedded {
    private app: App | null = null;
    private namings: Naming[] = [];
    private follower: (text: string) => void = () => undefined;
    private readonly address: Address & { hasTime: boolean };

    constructor(private readonly read: () => string, write: (text: string, remembered: boolean) => void) {
        this.address = {
            hasTime: true,
            read,
            write: (text, remembered) => write(text.replace(/^#/, ""), remembered),
            follow: (work) => { this.follower = work; },
        };
    }

    // Shows a profile; `others` are of the same recording, and of other kinds of samples. parts: what one recording has besides.
    show(profile: Profile, others: Profile[] = [], parts: PartReader | null = null): void {
        this.address.hasTime = parts === null; // the charts above have the time; but a recording has threads, too
        const kinds = new Kinds([profile, ...others].map((one) =>
            ({ kind: one.kind, title: one.kindTitle, problem: "", read: () => Promise.resolve(one) })));
        this.hide(false);
        if (this.app) {
            this.app.mark(this.namings);
            this.app.replace(profile, kinds, parts ?? NO_PARTS);
        } else {
            listenToDialogs();
            this.app = startViewer(profile, kinds, parts ?? NO_PARTS, this.address, () => undefined);
            if (this.namings.length > 0) {
                this.mark(this.namings);
            }
        }
    }

    // Shows a recording. In a time that was chosen in the charts, the longest gap is chosen, or else all of it, and why nothing ran there.
    showRecording({ profiles, parts }: Local, kind: string, chosen: Span | null): void {
        const first = profiles.find((one) => one.kind === kind) ?? profiles[0];
        this.show(first, profiles.filter((one) => one !== first), parts);
        const { app } = this;
        const { slices } = first;
        if (!app || !slices || !chosen || app.state.from > 0 || app.state.to >= 0) {
            return;
        }
        const bucket = (second: number) => Math.round((second * 1e9 - slices.startNs) / slices.bucketNs);
        const [from, to] = [Math.max(0, bucket(chosen.from)), Math.min(slices.buckets, bucket(chosen.to))];
        const isSame = ({ startNs, bucketNs }: Timeline) => startNs === slices.startNs && bucketNs === slices.bucketNs;
        const cpu = profiles.find(({ kind, timeline }) => kind === "cpu" && timeline && isSame(timeline))?.timeline;
        const [begin, end] = (cpu && from < to ? longestGap(cpu, from, to) : null) ?? [from, to];
        if (begin < end && (begin > 0 || end < slices.buckets)) {
            app.change({ from: begin, to: end === slices.buckets ? -1 : end, panel: "why" });
        }
    }

    // Marks the frames that findings name, also in profiles that are shown later.
    mark(namings: Naming[]): void {
        this.namings = namings;
        this.app?.mark(namings);
        this.app?.start();
    }

    // The findings belong to another picture than the next one.
    unmark(): void {
        this.namings = [];
    }

    // The address has changed, but not the data.
    follow(): void {
        this.follower(this.read());
    }

    hide(hidden = true): void {
        byId("viewer").hidden = hidden;
        byId("search").hidden = hidden; // the bar has a search field
        byId("answer").classList.toggle("away", hidden);
    }
}
