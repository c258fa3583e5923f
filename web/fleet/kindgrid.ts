// The kinds of sample of a service, side by side: for each its weight a second, its course over the time, and a link that shows it.
import { element, keepPlace } from "../page/dom";
import { SeriesAnswer } from "./api";
import { binsOf, sparkline } from "./chart";
import { rateText, titleOfType } from "./kinds";
import { Page } from "./page";
import { link } from "./parts";
import { portable, secondsIn, selector, timesOf } from "./state";

const STEPS = 60;
const LIVE = /^inuse_/; // what is alive is no rate

interface Tile {
    figure: string;
    bins: Float64Array | null;
}

export class KindGrid {
    readonly root = element("nav", { className: "tabs kind-grid" });
    private tiles = new Map<string, Tile>();

    constructor() {
        this.root.setAttribute("aria-label", "What is measured");
    }

    // Asks for the course of each kind. The page need not wait for it: a tile without figures has its title and its link.
    async load(page: Page, types: string[], draw: () => void): Promise<void> {
        const { state, questions } = page;
        const step = String(Math.max(1, Math.ceil(secondsIn(state) / STEPS)));
        const asked = { ...timesOf(state), select: selector(state), by: "", step };
        const tiles = this.tiles = new Map();
        draw();
        await Promise.all(types.map(async (type) => {
            const answer = await questions.ask<SeriesAnswer>("/v1/series", { ...asked, type }).catch(() => null);
            const span = answer && { from: answer.from, to: answer.to };
            const bins = answer && span && answer.series[0] ? binsOf(answer.series[0].points, { span, step: answer.step }) : null;
            const sum = bins?.reduce((a, b) => a + b, 0) ?? 0;
            const seconds = span ? Math.max(1, span.to - span.from) : 1;
            tiles.set(type, { bins, figure: !bins || LIVE.test(type) ? "" : rateText(type, sum / seconds) });
        }));
        if (tiles === this.tiles) {
            draw();
        }
    }

    draw(page: Page, types: string[], chosen: string): void {
        keepPlace(this.root, () => this.root.replaceChildren(...types.map((type) => {
            const tile = this.tiles.get(type);
            const course = tile?.bins ? [sparkline(tile.bins, Math.max(...tile.bins))] : [];
            const made = link("", page.link({ type, graph: portable(page.state.graph) }), type);
            made.append(element("span", { className: "kind-title" }, titleOfType(type)),
                element("span", { className: "kind-figure" + (tile ? "" : " waiting") }, tile?.figure || (tile ? "" : "…")), ...course);
            if (type === chosen) {
                made.setAttribute("aria-current", "true");
            }
            return made;
        })));
    }
}
