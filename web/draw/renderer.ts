// Draws frames on a canvas. A second canvas above it contains the outlines of hovered and selected frames, so that a move of the mouse
// redraws two rectangles, and no frames.
import { Matches } from "../model/search";
import { Tree } from "../model/tree";
import { Theme } from "./colours";
import { Geometry } from "./geometry";
import { Labels } from "./labels";

export const ROOT_LABEL = "all";
export const FONT = '12px "DejaVu Sans", "Segoe UI", "Noto Sans", "Helvetica Neue", Arial, sans-serif';
export const PADDING = 4;
const LEAST_LABEL = 20;
// Frames narrower than this share a pixel with their neighbors.
export const LEAST_FRAME = 1;
// From this width on, a gap of one pixel separates a frame from the next.
const GAP_FROM = 3;
// The mark of a frame, and the least width of a frame that has room for it, in pixels.
const MARK = 7;
const MARK_FROM = 12;

// The look of frames.
export interface Look {
    theme: Theme;
    colours: string[];
    groupOf: (tree: Tree, frame: number) => number; // number of a color
    matches: Matches | null; // the matches of a search
    marked: Set<number>; // names whose frames have a mark in a corner
}

export interface Style {
    fill: string;
    text: string;
}

export function styleOf(geometry: Geometry, { theme, colours, groupOf, matches }: Look, frame: number, next: number): Style {
    const { tree } = geometry;
    if (matches && matches.before[next] > matches.before[frame]) {
        return { fill: theme.hit, text: theme.hitText };
    }
    if (matches || (frame === 0 && tree.root < 0) || geometry.isAbove(frame)) {
        return { fill: theme.quiet, text: theme.quietText };
    }
    return { fill: colours[groupOf(tree, frame)], text: theme.text };
}

// Neighboring frames of one color that are too narrow to be separated. They are painted as one.
interface Run {
    fill: string; // "" = nothing to paint
    x: number;
    end: number;
    top: number;
}

const TOUCHES = 0.01; // pixels

export class Renderer {
    private readonly context: CanvasRenderingContext2D;
    private readonly above: CanvasRenderingContext2D;
    private readonly labels: Labels;
    private ratio = 0;

    constructor(private readonly canvas: HTMLCanvasElement, private readonly overlay: HTMLCanvasElement) {
        this.context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
        this.above = overlay.getContext("2d") as CanvasRenderingContext2D;
        this.prepare();
        this.labels = new Labels(this.context);
    }

    // Sets the strings to which the names of frames refer.
    name(strings: string[]): void {
        this.labels.name(strings);
    }

    // Sets the properties of the context that a change of the canvas's size resets.
    private prepare(): void {
        this.context.setTransform(this.ratio || 1, 0, 0, this.ratio || 1, 0, 0);
        this.context.font = FONT;
        // TypeScript 4.8 does not know these two properties.
        Object.assign(this.context, { fontKerning: "none", textRendering: "optimizeSpeed" });
        this.context.textBaseline = "middle";
        this.context.direction = "ltr";
    }

    resize(width: number, height: number, ratio: number): void {
        const pixels = (size: number) => Math.max(1, Math.round(size * ratio));
        if (this.ratio === ratio && this.canvas.width === pixels(width) && this.canvas.height === pixels(height)) {
            return;
        }
        for (const canvas of [this.canvas, this.overlay]) {
            canvas.width = pixels(width);
            canvas.height = pixels(height);
            canvas.style.width = width + "px";
            canvas.style.height = height + "px";
        }
        const zoomed = this.ratio !== ratio;
        this.ratio = ratio;
        this.prepare();
        if (zoomed) {
            this.labels.reset();
        }
    }

    // Draws the visible frames. Returns the number of boxes.
    draw(geometry: Geometry, look: Look): number {
        const { context } = this;
        context.fillStyle = look.theme.background;
        context.fillRect(0, 0, geometry.width, geometry.height);
        const run: Run = { fill: "", x: 0, end: 0, top: 0 };
        let drawn = 0;
        this.forEachVisible(geometry, (frame, next, row) => {
            this.drawFrame(geometry, look, frame, next, row, run);
            drawn++;
        });
        this.paint(run, geometry.rowHeight);
        return drawn;
    }

    private paint(run: Run, rowHeight: number): void {
        if (run.fill !== "") {
            this.context.fillStyle = run.fill;
            this.context.fillRect(run.x, run.top, run.end - run.x, rowHeight - 1);
            run.fill = "";
        }
    }

    forEachVisible(geometry: Geometry, visit: (frame: number, next: number, row: number) => void): void {
        const { height } = geometry;
        const ends = [geometry.rowAt(0), geometry.rowAt(height - 1)];
        const last = Math.min(Math.max(...ends), geometry.rows - 1);
        for (let row = Math.max(0, Math.min(...ends)); row <= last; row++) {
            geometry.forEachInRow(row, LEAST_FRAME, (frame, next) => visit(frame, next, row));
        }
    }

    private drawFrame(geometry: Geometry, look: Look, frame: number, next: number, row: number, run: Run): void {
        const { context } = this;
        const x = geometry.left(frame);
        const top = geometry.top(row);
        const width = geometry.frameWidth(frame);
        const { fill, text } = styleOf(geometry, look, frame, next);
        const gap = width >= GAP_FROM ? 1 : 0;
        const end = x + Math.max(width - gap, LEAST_FRAME);
        if (gap === 0 && run.fill === fill && run.top === top && x <= run.end + TOUCHES) {
            run.end = Math.max(run.end, end);
            return;
        }
        this.paint(run, geometry.rowHeight);
        run.fill = fill;
        run.x = x;
        run.end = end;
        run.top = top;
        const label = next === frame + 1 ? this.label(geometry, frame) : "";
        if (label !== "") {
            this.paint(run, geometry.rowHeight);
            context.fillStyle = text;
            context.fillText(label, x + PADDING, top + geometry.rowHeight / 2);
        }
        if (this.hasMark(geometry, look, frame)) {
            this.paint(run, geometry.rowHeight);
            this.corner(x + width - gap, top, text);
        }
    }

    private corner(right: number, top: number, fill: string): void {
        const { context } = this;
        context.fillStyle = fill;
        context.beginPath();
        context.moveTo(right - MARK, top);
        context.lineTo(right, top);
        context.lineTo(right, top + MARK);
        context.fill();
    }

    hasMark(geometry: Geometry, { marked }: Look, frame: number): boolean {
        return marked.has(geometry.tree.name[frame]) && geometry.frameWidth(frame) >= MARK_FROM;
    }

    // Whether a place of the canvas, measured from the left, is in the corner of the frame that has its mark. The other half of a narrow
    // frame can be clicked, too.
    isOnMark(geometry: Geometry, look: Look, frame: number, x: number): boolean {
        const width = geometry.frameWidth(frame);
        return this.hasMark(geometry, look, frame) && geometry.left(frame) + width - x <= Math.min(MARK_FROM, width / 2);
    }

    // Returns the label of a frame. It may be "".
    label(geometry: Geometry, frame: number): string {
        const width = geometry.frameWidth(frame);
        if (width < LEAST_LABEL) {
            return "";
        }
        const { tree } = geometry;
        return frame === 0 && tree.root < 0 ? ROOT_LABEL : this.labels.fit(tree.name[frame], width - 2 * PADDING);
    }

    // Draws outlines. `hovered` and `selected` are frames or -1.
    mark(geometry: Geometry, theme: Theme, hovered: number, selected: number): void {
        const { above, ratio } = this;
        above.setTransform(ratio, 0, 0, ratio, 0, 0);
        above.clearRect(0, 0, geometry.width, geometry.height);
        if (hovered >= 0 && hovered !== selected) {
            this.outline(geometry, hovered, theme.hover, 1);
        }
        if (selected >= 0) {
            this.outline(geometry, selected, theme.outline, 2);
        }
    }

    private outline(geometry: Geometry, frame: number, colour: string, line: number): void {
        if (!geometry.shows(frame)) {
            return;
        }
        const width = Math.max(geometry.frameWidth(frame), LEAST_FRAME + line);
        const top = geometry.top(geometry.tree.depth[frame]) - 0.5;
        this.above.strokeStyle = colour;
        this.above.lineWidth = line;
        this.above.strokeRect(
            geometry.left(frame) + line / 2, top + line / 2, width - line, geometry.rowHeight - line);
    }
}
