// A pane with a graph. It fits the canvas into its room, scrolls, finds the frame under the mouse, and draws when needed.
import { Geometry } from "../draw/geometry";
import { LEAST_FRAME, Look, Renderer } from "../draw/renderer";
import { Picture } from "../draw/boxes";
import { Tree } from "../model/tree";
import { oncePerPicture } from "./dom";

const ROW_HEIGHT = 18;
const ROW_HEIGHT_TOUCH = 26;
// The number of ancestors of the zoomed frame that stay visible when the rest scrolls away.
const ANCESTORS_IN_SIGHT = 3;
const WHEEL_STEP = 60; // how far the wheel turns, in pixels, until the picture zooms by a frame
const WHEEL_REST_MS = 1000; // after that time without a step, another turn of the wheel begins

export interface Parts {
    scroll: HTMLElement;
    room: HTMLElement;
    frames: HTMLElement;
    canvas: HTMLCanvasElement;
    overlay: HTMLCanvasElement;
}

export interface Listener {
    hover: (frame: number, event: PointerEvent) => void;
    leave: () => void;
    click: (frame: number, onMark: boolean) => void;
    wheel: (frame: number, into: boolean, begins: boolean) => void; // with Ctrl, or two fingers spread or pinched; begins: the first step
}

export interface Chosen {
    zoom: number;
    flip: boolean;
    selected: number;
}

export interface Place {
    frame: number;
    x: number;
    y: number;
    width: number;
    height: number;
    label: string;
}

export class Graph {
    geometry: Geometry | null = null;
    hovered = -1;
    drawn = 0;
    drawTime = 0;
    private readonly renderer: Renderer;
    private readonly rowHeight = matchMedia("(pointer: coarse)").matches ? ROW_HEIGHT_TOUCH : ROW_HEIGHT;
    private readonly redraw = oncePerPicture(() => this.draw());
    private tree: Tree | null = null;
    private chosen: Chosen = { zoom: 0, flip: false, selected: -1 };
    private look: Look | null = null;
    private turned = 0; // since the last step of the wheel
    private lastStep = -Infinity; // its time in ms

    constructor(private readonly parts: Parts, private readonly on: Listener) {
        this.renderer = new Renderer(parts.canvas, parts.overlay);
        this.listen();
    }

    private listen(): void {
        const { scroll, canvas } = this.parts;
        new ResizeObserver(this.redraw).observe(scroll);
        window.addEventListener("resize", this.redraw);
        window.addEventListener("beforeprint", () => this.draw()); // the next picture would be too late for the paper
        scroll.addEventListener("scroll", () => {
            this.leave();
            this.redraw();
        });
        scroll.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        canvas.addEventListener("pointermove", (event) => this.hover(event));
        canvas.addEventListener("pointerleave", () => this.leave());
        canvas.addEventListener("click", (event) => {
            const frame = this.frameAt(event);
            if (frame >= 0) {
                this.on.click(frame, this.isOnMark(frame, event));
            }
        });
    }

    // Shows a tree. Its names are numbers of `strings`. If another picture was shown before, the view scrolls to the zoomed frame.
    show(tree: Tree, strings: string[], { zoom, flip, selected }: Chosen, look: Look): void {
        const moved = tree !== this.tree || zoom !== this.chosen.zoom || flip !== this.chosen.flip;
        this.tree = tree;
        this.chosen = { zoom, flip, selected };
        this.look = look;
        this.renderer.name(strings);
        if (moved) {
            this.leave();
            this.fit(tree);
            this.scrollToZoom(tree);
        }
        this.redraw();
    }

    // Computes the geometry of the present view.
    private fit(tree: Tree): Geometry {
        const { scroll, room, frames } = this.parts;
        const measure = () => new Geometry(tree, this.chosen.zoom, {
            flip: this.chosen.flip,
            width: scroll.clientWidth,
            height: scroll.clientHeight,
            rowHeight: this.rowHeight,
            scroll: scroll.scrollTop,
        });
        // The height of the room determines whether there is a scroll bar, and the scroll bar changes the width.
        room.style.height = measure().contentHeight + "px";
        frames.style.height = scroll.clientHeight + "px";
        this.geometry = measure();
        return this.geometry;
    }

    private scrollToZoom(tree: Tree): void {
        const { scroll } = this.parts;
        const above = Math.max(0, tree.depth[this.chosen.zoom] - ANCESTORS_IN_SIGHT) * this.rowHeight;
        const { contentHeight, height } = this.geometry as Geometry;
        scroll.scrollTop = this.chosen.flip ? contentHeight - height - above : above;
    }

    // Scrolls as little as necessary to make the frame's row visible.
    reveal(frame: number): void {
        if (!this.tree) {
            return;
        }
        const geometry = this.fit(this.tree);
        const { scroll } = this.parts;
        const top = geometry.top(this.tree.depth[frame]);
        const over = top + this.rowHeight - geometry.height;
        if (top < 0 || over > 0) {
            scroll.scrollTop += top < 0 ? top : over;
        }
    }

    // Keeps the lower edge in place when the height of the pane changes, if the root is at the bottom.
    private holdLowerEdge(): void {
        const { scroll } = this.parts;
        if (this.chosen.flip && this.geometry && this.geometry.height !== scroll.clientHeight) {
            scroll.scrollTop += this.geometry.height - scroll.clientHeight;
        }
    }

    private draw(): void {
        if (!this.tree || !this.look || this.parts.scroll.clientWidth === 0) {
            return;
        }
        const begin = performance.now();
        this.holdLowerEdge();
        const geometry = this.fit(this.tree);
        this.renderer.resize(geometry.width, geometry.height, window.devicePixelRatio || 1);
        this.drawn = this.renderer.draw(geometry, this.look);
        this.mark();
        this.drawTime = performance.now() - begin;
    }

    private mark(): void {
        if (this.geometry && this.look) {
            this.renderer.mark(this.geometry, this.look.theme, this.hovered, this.chosen.selected);
        }
    }

    // Zooms with Ctrl. Without it, the wheel scrolls.
    private wheel(event: WheelEvent): void {
        if (!event.ctrlKey) {
            return;
        }
        event.preventDefault();
        this.turned += event.deltaY;
        if (Math.abs(this.turned) >= WHEEL_STEP) {
            this.on.wheel(this.frameAt(event), this.turned < 0, event.timeStamp - this.lastStep > WHEEL_REST_MS);
            this.lastStep = event.timeStamp;
            this.turned = 0;
        }
    }

    // Returns the frame under the mouse, or -1.
    frameAt(event: MouseEvent): number {
        const box = this.parts.canvas.getBoundingClientRect();
        return this.geometry ? this.geometry.frameAt(event.clientX - box.left, event.clientY - box.top) : -1;
    }

    private isOnMark(frame: number, event: MouseEvent): boolean {
        const x = event.clientX - this.parts.canvas.getBoundingClientRect().left;
        return this.geometry !== null && this.look !== null && this.renderer.isOnMark(this.geometry, this.look, frame, x);
    }

    private hover(event: PointerEvent): void {
        const frame = this.frameAt(event);
        if (frame !== this.hovered) {
            this.hovered = frame;
            this.parts.canvas.style.cursor = frame >= 0 ? "pointer" : "default";
            this.mark();
        }
        if (frame >= 0 && event.pointerType !== "touch") {
            this.on.hover(frame, event);
        } else {
            this.on.leave();
        }
    }

    leave(): void {
        if (this.hovered >= 0) {
            this.hovered = -1;
            this.mark();
        }
        this.on.leave();
    }

    // Returns the picture for an SVG file, or null before the first picture.
    picture(tell: (frame: number) => string): Picture | null {
        return this.tree && this.look ? { geometry: this.fit(this.tree), look: this.look, renderer: this.renderer, tell } : null;
    }

    // Returns the frames that are drawn now and at least a pixel wide, each with its place in the window and its label.
    visibleFrames(): Place[] {
        const frames: Place[] = [];
        if (!this.tree || this.parts.scroll.clientWidth === 0) {
            return frames;
        }
        const geometry = this.fit(this.tree);
        const box = this.parts.canvas.getBoundingClientRect();
        this.renderer.forEachVisible(geometry, (frame, _, row) => {
            if (geometry.frameWidth(frame) >= LEAST_FRAME) {
                frames.push({
                    frame,
                    x: box.left + geometry.left(frame),
                    y: box.top + geometry.top(row),
                    width: geometry.frameWidth(frame),
                    height: this.rowHeight,
                    label: this.renderer.label(geometry, frame),
                });
            }
        });
        return frames;
    }
}
