// Changes the server's file of rules: saves a rule, or deletes one, and waits until the server has read the file again.
import { Page } from "./page";

const LOOKS = 15; // the server looks at its file each second
const PAUSE = 1000; // ms

interface Rules {
    read: number;
    error: string | null;
}

const readRules = ({ questions }: Page) => questions.ask<Rules>("/v1/alerts", {});

// replaces: the name of the rule in whose place it comes; null = it is a new one.
export function saveRule(page: Page, text: string, replaces: string | null): Promise<void> {
    return change(page, "/v1/alerts/rules", { text, replaces });
}

export function deleteRule(page: Page, name: string): Promise<void> {
    return change(page, "/v1/alerts/rules/delete", { name });
}

async function change(page: Page, path: string, body: unknown): Promise<void> {
    const { read } = await readRules(page);
    await page.questions.post(path, body);
    for (let i = 0; i < LOOKS; i++) {
        await new Promise((done) => setTimeout(done, PAUSE));
        const now = await readRules(page);
        if (now.read !== read || now.error !== null) {
            return;
        }
    }
}
