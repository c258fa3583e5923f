// The menu that a right click opens on a frame or on a method of the table, with what the buttons under the graph do. It is a file of its
// own, because both places have the same menu, and its own keys.
import * as actions from "./actions";
import { App, PaneName } from "./app";
import { byId, element } from "./dom";
import { showTooltip } from "./tooltip";

interface Item {
    label: string;
    about: string;
    work: () => void;
}

// Makes an item with the words of a button of the page.
function like(id: string, work: () => void): Item {
    return { label: byId(id).textContent ?? "", about: byId(id).title, work };
}

function itemsOfMethod(app: App, name: number): Item[] {
    const filter = (key: "focus" | "drop" | "hide") => like(key, () => actions.filter(app, key, name));
    return name < 0 ? [] : [
        like("find", () => actions.findAll(app, name)), like("sandwich", () => actions.sandwichOf(app, name)),
        filter("focus"), filter("drop"), filter("hide"), like("copy", () => void actions.copyName(app, name)),
    ];
}

// The frame is the selected one.
function itemsOfFrame(app: App, pane: PaneName, frame: number): Item[] {
    const zoom: Item = { label: "Zoom in", about: "The frame fills the width (Enter)", work: () => app.zoomTo(pane, frame) };
    const more = ["code", "lines", "source-link"].filter((id) => !byId(id).hidden).map((id) => like(id, () => byId(id).click()));
    return [...(frame > 0 ? [zoom] : []), ...itemsOfMethod(app, app.selectedName), ...more];
}

function close(focus?: HTMLElement): void {
    byId("menu").hidden = true;
    focus?.focus({ preventScroll: true });
}

function open(items: Item[], opener: HTMLElement, x: number, y: number): void {
    const buttons = items.map(({ label, about, work }) => {
        const button = element("button", { type: "button", title: about, tabIndex: -1 }, label);
        button.setAttribute("role", "menuitem");
        button.addEventListener("click", () => {
            close(opener);
            work();
        });
        return button;
    });
    const step = (by: number) => {
        const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
        buttons[(at + by + buttons.length) % buttons.length].focus();
    };
    byId("menu").onkeydown = (event) => {
        event.stopPropagation(); // the page's keys are for what is under the menu
        const keys: Record<string, () => void> = {
            ArrowDown: () => step(1), ArrowUp: () => step(-1), Home: () => buttons[0].focus(),
            End: () => buttons[buttons.length - 1].focus(), Escape: () => close(opener), Tab: () => close(opener),
        };
        if (Object.hasOwn(keys, event.key)) {
            event.preventDefault();
            keys[event.key]();
        }
    };
    showTooltip(byId("menu"), buttons, x, y);
    buttons[0].focus();
}

// Whether the mouse or a finger asked for the menu, and not a key. A long touch, and on a Mac a click with Ctrl, have button 0.
function isAtPlace(event: MouseEvent): boolean {
    const { pointerType } = event as Partial<PointerEvent>;
    return event.button === 2 || event.ctrlKey || (pointerType ?? "") !== "";
}

// Where the menu opens: at the mouse, or in the middle of the element if a key asked for it.
function placeOf(event: MouseEvent, from: Element): [number, number] {
    const { left, top, width, height } = from.getBoundingClientRect();
    return isAtPlace(event) ? [event.clientX, event.clientY] : [left + width / 2, top + height / 2];
}

function listenOnGraph(app: App, panes: actions.Panes, pane: PaneName, canvas: HTMLElement): void {
    canvas.addEventListener("contextmenu", (event) => {
        const frame = isAtPlace(event) ? panes[pane].frameAt(event) : app.selectedOf(pane);
        if (frame < 0) {
            return;
        }
        event.preventDefault();
        panes[pane].leave();
        app.select(pane, frame);
        app.exactly(() => { // a coarse picture becomes the exact one first, in which the frame has another number
            const items = itemsOfFrame(app, pane, app.selectedOf(pane));
            if (items.length > 0) {
                open(items, canvas, ...placeOf(event, canvas));
            }
        });
    });
}

export function listenToMenu(app: App, panes: actions.Panes): void {
    listenOnGraph(app, panes, "main", byId("canvas"));
    listenOnGraph(app, panes, "upper", byId("upper-canvas"));
    byId("methods-body").addEventListener("contextmenu", (event) => {
        const button = event.target instanceof Element ? event.target.closest("tr")?.querySelector("button") : null;
        if (button) {
            event.preventDefault();
            open(itemsOfMethod(app, Number(button.dataset.name)), button, ...placeOf(event, button));
        }
    });
    byId("menu").addEventListener("focusout", ({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && byId("menu").contains(relatedTarget))) {
            close();
        }
    });
}
