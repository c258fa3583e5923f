// Reads a file of the user's machine into profiles, without the server: a page that candor convert wrote, or the data of one.
import { DataError } from "./columns";
import { Json, Profile, profileOf, readProfile } from "./profile";

export interface Local {
    name: string;
    profiles: Profile[]; // one for each kind of sample, the file's first one first
}

const LARGEST = 512 * 2 ** 20;

// Throws an Error that names the file and says what to do.
export async function readLocal(file: File): Promise<Local> {
    const { name } = file;
    if (file.size > LARGEST) {
        throw new Error(name + ": larger than 512 MiB, which a browser cannot hold");
    }
    const text = await file.text();
    try {
        const profiles = await profilesIn(text);
        if (profiles.length > 0) {
            return { name, profiles };
        }
    } catch (error) {
        if (error instanceof DataError) {
            throw new Error(name + ": its profile is damaged: " + error.message);
        }
        throw error;
    }
    throw new Error(`${name}: not a page of Candor. Make one of a recording with: candor convert ${name} FLAME.html`);
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
