// Shows the machine code of the selected frame's method, if the recording has it.
import { visibleName } from "../model/names";
import { App } from "./app";
import { byId } from "./dom";

const LONGEST_NAME = 500;

export function hasCode(app: App): boolean {
    return app.profile.code.has(app.selectedName);
}

// Makes invisible characters visible, line by line, so that names cannot change the lines.
function visibleLines(text: string): string {
    return text.split("\n").map((line) => (line.trim() === "" ? "" : visibleName(line))).join("\n").trim();
}

export function showCode(app: App): void {
    const texts = app.profile.code.get(app.selectedName);
    if (!texts) {
        return;
    }
    byId("code-heading").textContent = "Code of " + visibleName(app.profile.strings[app.selectedName]).slice(0, LONGEST_NAME);
    byId("code-text").textContent = texts.map(visibleLines).join("\n\n");
    byId<HTMLDialogElement>("code-dialog").showModal();
    byId("code-heading").focus();
}
