// Draws the call graph of a profile: a box for each of the methods where most of the weight is, and lines from callers down to what they
// call.
import { Call, CallGraph, CallNode, callGraphOf } from "../model/callgraph";
import { formatShare, plural } from "../model/figures";
import { splitName, visibleName } from "../model/names";
import { Profile } from "../model/profile";
import { element } from "../page/dom";
import { Page } from "./page";
import { svg } from "./svg";

const MOST = 30;
const [WIDTH, HEIGHT, BESIDE, BELOW, EDGE] = [200, 40, 16, 44, 8]; // pixels
const WIDEST = 8; // of a line
const LETTERS = 27;
const LEAST_CALL = 0.002; // as a share; thinner lines only confuse
const PRUNED = "[pruned]"; // the frame in whose place the server left out branches

// Returns what stands under the heading.
export function callGraph(page: Page, { columns, strings, sums }: Profile): HTMLElement[] {
    const pruned = strings.indexOf(PRUNED);
    const graph = exact(callGraphOf(columns, MOST, pruned), sums);
    const text = (name: number) => visibleName(strings[name]);
    const rest = graph.others > 0 ? ` ${plural(graph.others, "other method")} are left out, and so are thin lines.` : "";
    return [element("p", { className: "aside" }, "The methods in which most of the weight ends or divides. A box has the method's "
        + "own share, and the share with all that it calls. Lines lead down from callers; the thicker, the more of the weight is in "
        + "these calls. Click a method to find it in the flame graph." + rest), ...prunedNote(columns, pruned, graph.whole),
    scrolled(drawing(page, graph, strings, text))];
}

// The shares of methods are those of all samples, also if the graph is of a pruned tree.
function exact(graph: CallGraph, sums: Profile["sums"]): CallGraph {
    const of = new Map(sums?.map((one) => [one.name, one]));
    return { ...graph, nodes: graph.nodes.map((node) => ({ ...node, self: of.get(node.name)?.self ?? node.self,
        total: of.get(node.name)?.total ?? node.total })) };
}

function prunedNote({ name, self }: Profile["columns"], pruned: number, whole: number): HTMLElement[] {
    const cut = self.reduce((sum, weight, i) => sum + (name[i] === pruned ? weight : 0), 0);
    return cut === 0 ? [] : [element("p", { className: "aside" }, element("span", { className: "partial" }, "pruned"),
        ` ${formatShare(cut / whole)} of the weight is in branches that the server left out, the lightest ones. So calls may have more `
        + "than is drawn; the shares of methods are exact. Fewer branches are left out of one service, host or a shorter time.")];
}

function scrolled(drawn: SVGElement): HTMLElement {
    const root = element("div", { className: "call-graph-scroll", tabIndex: 0 });
    root.setAttribute("role", "region");
    root.setAttribute("aria-label", "Call graph");
    root.append(drawn);
    return root;
}

function drawing(page: Page, { nodes, calls, layers, whole }: CallGraph, strings: string[], text: (name: number) => string): SVGElement {
    const widths = Array.from({ length: layers }, (_, layer) => nodes.filter((node) => node.layer === layer).length);
    const full = Math.max(1, ...widths) * (WIDTH + BESIDE) + 2 * EDGE;
    const at = ({ layer, place }: CallNode) => ({
        x: (full - widths[layer] * (WIDTH + BESIDE)) / 2 + place * (WIDTH + BESIDE), y: EDGE + layer * (HEIGHT + BELOW),
    });
    const height = layers * (HEIGHT + BELOW) - BELOW + 2 * EDGE;
    const root = svg("svg", { class: "call-graph", viewBox: `0 0 ${full} ${height}`, width: full, height });
    calls.filter(({ weight }) => weight >= whole * LEAST_CALL).reverse().forEach((call) => root.append(line(call, nodes, at, whole, text)));
    nodes.forEach((node) => root.append(box(page, node, at(node), whole, strings, text)));
    return root;
}

function line({ from, to, weight }: Call, nodes: CallNode[], at: (node: CallNode) => { x: number; y: number }, whole: number,
    text: (name: number) => string): SVGElement {
    const [one, two] = [at(nodes[from]), at(nodes[to])];
    const [x1, y1, x2, y2] = [one.x + WIDTH / 2, one.y + HEIGHT, two.x + WIDTH / 2, two.y];
    const bend = y2 > y1 ? (y2 - y1) / 2 : BELOW;
    const made = svg("path", { d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`, class: "call",
        "stroke-width": Math.max(1, (weight / whole) * WIDEST).toFixed(1) });
    made.append(svg("title", {}, `${text(nodes[from].name)} calls ${text(nodes[to].name)}: ${formatShare(weight / whole)}`));
    return made;
}

function box(page: Page, { name, self, total }: CallNode, { x, y }: { x: number; y: number }, whole: number, strings: string[],
    text: (name: number) => string): SVGElement {
    const short = [...visibleName(splitName(strings[name]).method)];
    const label = short.length > LETTERS ? "…" + short.slice(1 - LETTERS).join("") : short.join("");
    const made = svg("a", { href: page.link({ graph: new URLSearchParams({ query: strings[name] }).toString() }), class: "call-node" });
    const shown = svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 4 });
    const bar = svg("rect", { x, y: y + HEIGHT - 4, width: (total / whole) * WIDTH, height: 4, class: "call-share" });
    made.append(svg("title", {}, text(name)), shown, bar, svg("text", { x: x + 8, y: y + 15, class: "call-name" }, label),
        svg("text", { x: x + 8, y: y + 30 }, `self ${formatShare(self / whole)} · total ${formatShare(total / whole)}`));
    return made;
}
