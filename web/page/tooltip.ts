// Shows the box beside the mouse that describes the frame under it.
import { formatCount } from "../model/figures";
import { Description } from "./describe";
import { element } from "./dom";

const DISTANCE = 14;
const MARGIN = 6;
// A longer name would fill the screen. The rest of the name is only counted, and the complete name can be copied.
const LONGEST_NAME = 1500;

export function tooltipContent({ name, type, rows, notes, findings }: Description): HTMLElement[] {
    const cell = (text: string) => element("td", {}, text);
    const heads = ["", "Time", "Share", "95% interval"].map((text) => element("th", { scope: "col" }, text));
    const table = element("table", {},
        element("tr", {}, ...heads),
        ...rows.map(({ label, value, share, interval }) =>
            element("tr", {}, element("th", { scope: "row" }, label), cell(value), cell(share), cell(interval))));
    const line = (className: string, text: string) => element("div", { className, dir: "ltr" }, text);
    return [line("name", shortened(name)), line("type", type), table, ...[...notes, ...findings].map((note) => line("type", note))];
}

function shortened(name: string): string {
    const rest = name.length - LONGEST_NAME;
    return rest <= 0 ? name : name.slice(0, LONGEST_NAME) + "… (and " + formatCount(rest) + " more characters)";
}

// Shows the box near a point of the window, completely inside the window and not under the mouse.
export function showTooltip(box: HTMLElement, content: HTMLElement[], x: number, y: number): void {
    box.replaceChildren(...content);
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const right = window.innerWidth - width - MARGIN;
    const below = y + DISTANCE;
    const fitsBelow = below + height + MARGIN <= window.innerHeight;
    box.style.left = Math.max(MARGIN, Math.min(x + DISTANCE, right)) + "px";
    box.style.top = Math.max(MARGIN, fitsBelow ? below : y - DISTANCE - height) + "px";
}

export function hideTooltip(box: HTMLElement): void {
    box.hidden = true;
}
