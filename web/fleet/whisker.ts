// Draws the interval of a change: a line from its low to its high end, and a dot at the value, around a zero line.
import { svg } from "./svg";

const WIDTH = 120;
const HEIGHT = 20;

// All whiskers of a column share `most`, the largest distance from zero.
export function whisker(value: number, low: number, high: number, most: number): SVGElement {
    const x = (of: number) => (WIDTH / 2 + (most > 0 ? of / most : 0) * (WIDTH / 2 - 5)).toFixed(1);
    const side = low > 0 ? "dearer" : high < 0 ? "cheaper" : "unsure";
    const middle = HEIGHT / 2;
    const root = svg("svg", { class: "whisker " + side, width: WIDTH, height: HEIGHT, "aria-hidden": "true" });
    root.append(svg("line", { x1: x(0), x2: x(0), y1: 1, y2: HEIGHT - 1, class: "zero" }),
        svg("line", { x1: x(low), x2: x(high), y1: middle, y2: middle, class: "reach" }),
        svg("circle", { cx: x(value), cy: middle, r: 3.5 }));
    return root;
}
