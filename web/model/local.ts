// Reads a page that candor convert wrote, or the data of one: a file of the user's machine, or an answer of the server.
import { DataError } from "./columns";
import { PartReader, parsePart } from "./parts";
import { Json, Profile, profileOf, readProfile } from "./profile";

export interface Local {
    name: string;
    profiles: Profile[]; // one for each kind of sample, the file's first one first
    parts: PartReader;
}

// A file that is no page: a recording, or anything else.
export class NoPage extends Error {}

const LARGEST = 512 * 2 ** 20;

// Throws an Error that names the file and says what to do.
export async function readLocal(file: File): Promise<Local> {
    const { name } = file;
    if (file.size > LARGEST) {
        throw new Error(name + ": larger than 512 MiB, which a browser cannot hold");
    }
    return readPage(name, await file.text());
}

// Reads the text of a page. Throws as readLocal does.
export async function readPage(name: string, text: string): Promise<Local> {
    try {
        const profiles = await profilesIn(text);
        if (profiles.length > 0) {
            return { name, profiles, parts: partsIn(text) };
        }
    } catch (error) {
        if (error instanceof DataError) {
            throw new Error(name + ": its profile is damaged: " + error.message);
        }
        throw error;
    }
    throw new NoPage(`${name}: not a page of Candor. Make one of a recording with: candor convert ${name} FLAME.html`);
}

// Each part is parsed when it is asked for.
function partsIn(text: string): PartReader {
    const found = new Map([...text.matchAll(/<script type="application\/json" class="candor-part" data-part="(\w+)">([^<]*)<\/script>/g)]
        .map(([, name, data]) => [name, data]));
    return (name) => parsePart(found.get(name) ?? "");
}

async function profilesIn(text: string): Promise<Profile[]> {
    const data = /^\s*\{/.test(text) ? [text] : dataElements(text);
    const made: Profile[] = [];
    for (const one of data) {
        const profile = one.trimStart().startsWith("{") ? await profileOfJson(one) : await readProfile(one);
        if (profile) {
            made.push(profile);
        }
    }
    return made;
}

// The text of the page's elements with data. The page is not parsed, because this page's policy forbids its style; its data has no "<".
function dataElements(text: string): string[] {
    return [...text.matchAll(/<script type="application\/json" (?:id|class)="candor-data"[^>]*>([^<]*)<\/script>/g)]
        .map(([, data]) => data).filter((data) => data.trim() !== "");
}

// The data of a page, alone or inside the server's answer.
async function profileOfJson(text: string): Promise<Profile | null> {
    let data: Json;
    try {
        data = JSON.parse(text) as Json;
    } catch {
        return null;
    }
    const page = typeof data.page === "object" && data.page !== null ? data.page as Json : data;
    return page.nodes === undefined ? null : profileOf(page);
}
