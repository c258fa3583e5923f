// Starts the self-contained page: reads the data inside it, and starts the viewer.
import { DataError } from "../model/columns";
import { Profile } from "../model/profile";
import { Address } from "./app";
import { showBooksBar } from "./books";
import { listenToDialogs } from "./controls";
import { byId } from "./dom";
import { showHead } from "./head";
import { Kinds } from "./kinds";
import { listenToFiles } from "./other";
import { partOfPage } from "./panels";
import { showBooks, showEmpty, showTitle, titleOf } from "./show";
import { hasFrames, readAddress } from "./state";
import { startViewer } from "./viewer";

// The viewer's address is that of the page.
const PAGE: Address = {
    hasTime: false,
    read: () => location.hash,
    write: (text, remembered) => {
        try {
            history[remembered && text !== (location.hash || "#") ? "pushState" : "replaceState"](null, "", text);
        } catch {
            // A page inside another one may be unable to change its address. The choice is valid nevertheless.
        }
    },
    follow: (work) => window.addEventListener("hashchange", () => work(location.hash)),
};

async function start(): Promise<void> {
    listenToDialogs();
    document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const kinds = Kinds.ofPage();
    let profile: Profile | null = null;
    try {
        const state = readAddress(location.hash);
        profile = await kinds.find(state.kind).read(hasFrames(state));
    } catch (error) {
        if (!(error instanceof DataError)) {
            throw error;
        }
        return startWithout("This profile cannot be shown", "It is damaged: " + error.message + ".");
    }
    if (!profile) {
        return startWithout("No profile", "This page has no profile. To make a page with one: candor convert RECORDING.jfr FLAME.html");
    }
    nameDocument(profile);
    showTitle(profile);
    showHead(profile);
    if (profile.total === 0) {
        showBooks(profile, "after");
        return startWithout("No samples", "The program used no CPU time during the recording, or no sample shows it. "
            + (profile.books ? "The books show which of the two is the case." : "The file has no books, so this is unknown."));
    }
    const app = startViewer(profile, kinds, partOfPage, PAGE, (shown) => nameDocument(shown.profile));
    listenToFiles(app);
    await picture();
    performance.mark("candor-drawn"); // for measurements
    if (profile.rest) {
        await app.complete();
    }
    await Promise.all(app.readBeside);
}

// Resolves when what is shown now has been drawn.
function picture(): Promise<void> {
    return new Promise((resolve) => {
        if (document.hidden) {
            resolve(); // nothing is drawn now
        } else {
            requestAnimationFrame(() => setTimeout(resolve, 0));
        }
    });
}

function nameDocument(profile: Profile): void {
    document.title = titleOf(profile).slice(0, 200) + " · Candor";
}

// Switches off everything that needs a graph, and shows a text instead.
function startWithout(title: string, text: string): void {
    if (byId("books-summary").textContent === "") {
        showBooksBar({ drawing: byId("books-drawing"), summary: byId("books-summary") }, null, -1, "");
        byId<HTMLButtonElement>("books").disabled = true;
    }
    document.querySelectorAll<HTMLElement>("[data-needs]").forEach((part) => { part.hidden = true; });
    showEmpty(title, text);
}

// A failure that is none of the data is shown, too: half a page would look like a profile without books.
void start().catch((error: unknown) => {
    startWithout("This page failed", "The browser reports: " + String(error) + ". Load the page again.");
    throw error;
}).finally(() => { document.documentElement.dataset.ready = "yes"; });
