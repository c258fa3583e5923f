// Opens another file beside this page, by drag and drop or by its button, and compares the kind of sample that is shown with the file's.
import { compareProfiles } from "../model/compare";
import { readLocal } from "../model/local";
import { visibleName } from "../model/names";
import { Profile } from "../model/profile";
import { App } from "./app";
import { byId } from "./dom";

const LONGEST = 60;

export function listenToFiles(app: App): void {
    const input = byId<HTMLInputElement>("other");
    input.addEventListener("change", () => open(app, input.files));
    // A text that is dragged into a field is not ours.
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer !== null && dataTransfer.types.includes("Files");
    document.addEventListener("dragover", (event) => {
        if (hasFiles(event)) {
            event.preventDefault();
        }
    });
    document.addEventListener("drop", (event) => {
        if (hasFiles(event)) {
            event.preventDefault();
            open(app, event.dataTransfer?.files ?? null);
        }
    });
}

function open(app: App, files: FileList | null): void {
    const file = files?.[0];
    const isOne = files?.length === 1; // the list is empty after the event
    if (file) {
        tell("Reading " + visibleName(file.name) + " …");
        readLocal(file).then(({ name, profiles }) => {
            const some = profiles.filter(({ total }) => total > 0);
            if (some.length === 0) {
                tell(visibleName(name) + ": it has no samples");
                return;
            }
            tell(isOne ? "" : "Only " + visibleName(name) + " was opened: drop one file after the other");
            add(app, visibleName(name).slice(0, LONGEST), some);
        }).catch((error: unknown) => tell(error instanceof Error ? visibleName(error.message) : String(error)));
    }
}

function tell(text: string): void {
    byId("other-text").hidden = text === "";
    byId("other-text").textContent = text;
}

// Adds the file's profile of the kind in sight, and the comparison with it if their weights have one unit. Shows the comparison.
function add(app: App, name: string, profiles: Profile[]): void {
    app.exactly(() => addToWhole(app, name, profiles));
}

function addToWhole(app: App, name: string, profiles: Profile[]): void {
    const { profile: here, kinds } = app;
    const same = profiles.find(({ kind, unit, before }) => kind === here.kind && unit === here.unit && !before && !here.before);
    const other = same ?? profiles[0];
    const titleOf = ({ kindTitle }: Profile) => visibleName(kindTitle || "Samples").slice(0, LONGEST);
    const added = kinds.add(titleOf(other) + " of " + name, other);
    const compared = same ? kinds.add(titleOf(same) + " against " + name, compareProfiles(same, here)) : added;
    void app.chooseKind(compared.kind);
}
