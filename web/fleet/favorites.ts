// Services that the user has marked. They come first in the list of services. They are kept in this browser and not in the address, because
// a link is for everybody.
import { visibleName } from "../model/names";
import { element } from "../page/dom";

const KEY = "candor-favorites";

// A browser may refuse to keep anything. Then favorites last as long as the page.
function stored(): string[] {
    try {
        const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
        return Array.isArray(list) ? list.filter((one): one is string => typeof one === "string") : [];
    } catch {
        return [];
    }
}

export class Favorites {
    private readonly names = new Set(stored());

    has(name: string): boolean {
        return this.names.has(name);
    }

    // A button that marks the service, or takes the mark away. changed: is called then.
    star(name: string, changed: () => void): HTMLButtonElement {
        const made = element("button", { type: "button", className: "star", title: "Favorites come first",
            ariaLabel: "Favorite: " + visibleName(name), ariaPressed: String(this.has(name)) });
        made.addEventListener("click", () => {
            if (!this.names.delete(name)) {
                this.names.add(name);
            }
            try {
                localStorage.setItem(KEY, JSON.stringify([...this.names]));
            } catch {
                // see stored
            }
            made.ariaPressed = String(this.has(name));
            changed();
        });
        return made;
    }
}
