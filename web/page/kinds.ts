// Keeps the profiles of the page, one for each kind of sample, and the buttons that choose between them. A profile is read when it is first
// shown.
import { DataError } from "../model/columns";
import { Profile, readFirst, readKind } from "../model/profile";
import { App } from "./app";
import { byId, element } from "./dom";

const ADDED = "other-";

export interface Part {
    kind: string;
    title: string;
    problem: string; // why it cannot be shown; set after an attempt to read it
    read: (isWhole: boolean) => Promise<Profile | null>; // of a large profile only the coarse copy, unless isWhole (profile.ts)
}

export class Kinds {
    constructor(readonly parts: Part[]) {}

    // Finds the profiles in the elements of the page.
    static ofPage(): Kinds {
        const others = [...document.querySelectorAll<HTMLElement>("script.candor-data")];
        const first = byId("candor-data");
        const known = others.length > 0 || document.querySelector("script.candor-part") ? kindOf(first) : { kind: "", title: "" };
        return new Kinds([{ ...known, problem: "", read: reader(first) }, ...others.map((part) => (
            { kind: part.dataset.kind ?? "", title: part.dataset.title ?? "", problem: "", read: reader(part) }))]);
    }

    // Adds a profile of another file. Its kind is a word that no other part has.
    add(title: string, profile: Profile): Part {
        const part = { kind: ADDED + this.parts.length, title, problem: "", read: () => Promise.resolve(profile) };
        this.parts[0].title = this.parts[0].title || "This file"; // a page of one kind shows no buttons until now
        this.parts.push(part);
        return part;
    }

    // Whether the profile that this kind shows is from another file. An address may name a file that this page has no more.
    isAdded(kind: string): boolean {
        return this.find(kind).kind.startsWith(ADDED);
    }

    // Returns the part of a kind, or the first part if there is none of that kind.
    find(kind: string): Part {
        return this.parts.find((part) => part.kind === kind) ?? this.parts[0];
    }

    has(kind: string): boolean {
        return this.parts.some((part) => part.kind === kind);
    }

    // Reads the profile of a kind. Returns null if it cannot be shown; its button then shows the reason.
    async read(kind: string, isWhole = false): Promise<Profile | null> {
        const part = this.find(kind);
        let profile: Profile | null = null;
        try {
            profile = await part.read(isWhole);
            part.problem = profile && profile.total > 0 ? "" : "There are no samples of this kind";
        } catch (error) {
            if (!(error instanceof DataError)) {
                throw error;
            }
            part.problem = "It is damaged: " + error.message;
        }
        return part.problem === "" ? profile : null;
    }

    // Reads the profile of a kind, or returns null if the page has none of that kind, or none that can be shown.
    async readIfThere(kind: string): Promise<Profile | null> {
        return this.has(kind) ? this.read(kind, true) : null;
    }

    // Returns the word for the part in the address.
    wordOf(part: Part): string {
        return part === this.parts[0] ? "" : part.kind;
    }

    // Returns the kind that is `step` steps after this one.
    beside(kind: string, step: number): string {
        const { parts } = this;
        const at = parts.indexOf(this.find(kind));
        return this.wordOf(parts[(at + step + parts.length) % parts.length]);
    }

    show(app: App): void {
        const { parts } = this;
        byId("kinds").hidden = parts.length < 2;
        if (parts.length < 2) {
            return;
        }
        if (byId("kinds").childElementCount !== parts.length) {
            byId("kinds").replaceChildren(...parts.map((part) => {
                const button = element("button", { type: "button" }, part.title);
                button.addEventListener("click", () => void app.chooseKind(this.wordOf(part)));
                return button;
            }));
        }
        const shown = parts.indexOf(this.find(app.state.kind));
        [...byId("kinds").children].forEach((button, i) => {
            button.setAttribute("aria-pressed", String(i === shown));
            (button as HTMLButtonElement).disabled = parts[i].problem !== "";
            (button as HTMLButtonElement).title = parts[i].problem || "k, K: the next kind of sample, the previous one";
        });
    }
}

function kindOf(part: HTMLElement): { kind: string; title: string } {
    try {
        return readKind(part.textContent ?? "");
    } catch (error) {
        if (error instanceof DataError) {
            return { kind: "", title: "" };
        }
        throw error;
    }
}

function reader(part: HTMLElement): Part["read"] {
    let made: Promise<Profile | null> | null = null;
    return (isWhole) => {
        made ??= readFirst(part.textContent ?? "");
        if (isWhole) {
            made = made.then((profile) => (profile?.rest ? profile.rest() : profile));
        }
        return made;
    };
}
