// Changes the server's file of rules: saves a rule, or deletes one, and waits until the server has read the file again.
import { Page } from "./page";

const LOOKS = 15; // the server looks at its file each second
const PAUSE = 1000; // ms

interface Rules {
    read: number;
    error: string | null;
    rules: { name: string; version: string }[];
}

const readRules = ({ questions }: Page) => questions.ask<Rules>("/v1/alerts", {});

// replaces: the name of the rule in whose place it comes; null = it is a new one. version: the one of that rule that the user has seen; if
// it is another one now, somebody has changed the rule, and the server refuses (CHANGED).
export function saveRule(page: Page, text: string, replaces: string | null, version: string): Promise<void> {
    return change(page, "/v1/alerts/rules", { text, replaces }, version);
}

export function deleteRule(page: Page, name: string, version: string): Promise<void> {
    return change(page, "/v1/alerts/rules/delete", { name }, version);
}

// Waits until the server has read its file again, so that the rule is another one than this version, and returns it; undefined = it is
// deleted.
export async function changedRule(page: Page, name: string, version: string): Promise<Rules["rules"][number] | undefined> {
    let rule;
    for (let i = 0; i < LOOKS; i++) {
        rule = (await readRules(page)).rules.find((one) => one.name === name);
        if (rule?.version !== version) {
            break;
        }
        await new Promise((done) => setTimeout(done, PAUSE));
    }
    return rule;
}

async function change(page: Page, path: string, body: unknown, version: string): Promise<void> {
    const { read } = await readRules(page);
    await page.questions.post(path, body, version === "" ? {} : { "If-Match": '"' + version + '"' });
    for (let i = 0; i < LOOKS; i++) {
        await new Promise((done) => setTimeout(done, PAUSE));
        const now = await readRules(page);
        if (now.read !== read || now.error !== null) {
            return;
        }
    }
}
