// The viewer inside this page. Its address is a part of the page's address.
import { Profile } from "../model/profile";
import { App, Address } from "../page/app";
import { listenToDialogs } from "../page/controls";
import { byId } from "../page/dom";
import { Kinds } from "../page/kinds";
import { Naming } from "../page/named";
import { startViewer } from "../page/viewer";

export class Embedded {
    private app: App | null = null;
    private namings: Naming[] = [];
    private follower: (text: string) => void = () => undefined;
    private readonly address: Address;

    constructor(private readonly read: () => string, write: (text: string, remembered: boolean) => void) {
        this.address = {
            hasTime: true,
            read,
            write: (text, remembered) => write(text.replace(/^#/, ""), remembered),
            follow: (work) => { this.follower = work; },
        };
    }

    // Shows a profile; `others` are of the same recording, and of other kinds of samples.
    show(profile: Profile, others: Profile[] = []): void {
        const kinds = new Kinds([profile, ...others].map((one) =>
            ({ kind: one.kind, title: one.kindTitle, problem: "", read: () => Promise.resolve(one) })));
        this.hide(false);
        if (this.app) {
            this.app.mark(this.namings);
            this.app.replace(profile, kinds);
        } else {
            listenToDialogs();
            this.app = startViewer(profile, kinds, this.address, () => undefined);
            if (this.namings.length > 0) {
                this.mark(this.namings);
            }
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
