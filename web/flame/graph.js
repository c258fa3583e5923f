// The pane with the graph: it fits the canvas into its room, scrolls, finds the frame under the mouse, and draws when
// needed.
import { oncePerPicture } from "./dom.js";
import { Geometry } from "./geometry.js";
import { LEAST_FRAME, Renderer } from "./renderer.js";

const ROW_HEIGHT = 18;
const ROW_HEIGHT_TOUCH = 26;
// Ancestors of the zoomed frame that stay in sight when the rest scrolls away.
const ANCESTORS_IN_SIGHT = 3;

export class Graph {
    // parts: {scroll, room, frames, canvas, overlay}; on: {hover(frame, event), leave(), click(frame)}.
    constructor(parts, strings, on) {
        this.parts = parts;
        this.on = on;
        this.renderer = new Renderer(parts.canvas, parts.overlay, strings);
        this.rowHeight = matchMedia("(pointer: coarse)").matches ? ROW_HEIGHT_TOUCH : ROW_HEIGHT;
        this.hovered = -1;
        this.redraw = oncePerPicture(() => this.draw());
        this.listen();
    }

    listen() {
        const { scroll, canvas } = this.parts;
        new ResizeObserver(this.redraw).observe(scroll);
        window.addEventListener("resize", this.redraw);
        scroll.addEventListener("scroll", () => {
            this.leave();
            this.redraw();
        });
        canvas.addEventListener("pointermove", (event) => this.hover(event));
        canvas.addEventListener("pointerleave", () => this.leave());
        canvas.addEventListener("click", (event) => {
            const frame = this.frameAt(event);
            if (frame >= 0) {
                this.on.click(frame);
            }
        });
    }

    // Shows a tree. look: what Renderer.draw takes; the view scrolls to the zoomed frame when another picture is shown.
    show(tree, { zoom, flip, selected }, look) {
        const moved = tree !== this.tree || zoom !== this.zoom || flip !== this.flip;
        Object.assign(this, { tree, zoom, flip, selected, look });
        if (moved) {
            this.leave();
            this.fit();
            this.scrollToZoom();
        }
        this.redraw();
    }

    // The arithmetic of what is to be seen now.
    fit() {
        const { scroll, room, frames } = this.parts;
        const measure = () => new Geometry(this.tree, this.zoom, {
            flip: this.flip,
            width: scroll.clientWidth,
            height: scroll.clientHeight,
            rowHeight: this.rowHeight,
            scroll: scroll.scrollTop,
        });
        // The height of the room decides about a scroll bar, which decides about the width.
        room.style.height = measure().contentHeight + "px";
        frames.style.height = scroll.clientHeight + "px";
        this.geometry = measure();
    }

    scrollToZoom() {
        const { scroll } = this.parts;
        const above = Math.max(0, this.tree.depth[this.zoom] - ANCESTORS_IN_SIGHT) * this.rowHeight;
        const { contentHeight, height } = this.geometry;
        scroll.scrollTop = this.flip ? contentHeight - height - above : above;
    }

    // Scrolls as little as brings the frame's row into sight.
    reveal(frame) {
        this.fit();
        const { scroll } = this.parts;
        const top = this.geometry.top(this.tree.depth[frame]);
        const over = top + this.rowHeight - this.geometry.height;
        if (top < 0 || over > 0) {
            scroll.scrollTop += top < 0 ? top : over;
        }
    }

    draw() {
        if (!this.tree || this.parts.scroll.clientWidth === 0) {
            return;
        }
        const begin = performance.now();
        this.fit();
        this.renderer.resize(this.geometry.width, this.geometry.height, window.devicePixelRatio || 1);
        this.drawn = this.renderer.draw(this.geometry, this.look);
        this.mark();
        this.drawTime = performance.now() - begin;
    }

    mark() {
        this.renderer.mark(this.geometry, this.look.theme, this.hovered, this.selected);
    }

    frameAt(event) {
        const box = this.parts.canvas.getBoundingClientRect();
        return this.geometry ? this.geometry.frameAt(event.clientX - box.left, event.clientY - box.top) : -1;
    }

    hover(event) {
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

    leave() {
        if (this.hovered >= 0) {
            this.hovered = -1;
            if (this.geometry) {
                this.mark();
            }
        }
        this.on.leave();
    }

    // The frames drawn right now at least a pixel wide, each with its place in the window and its label.
    visibleFrames() {
        this.fit();
        const box = this.parts.canvas.getBoundingClientRect();
        const frames = [];
        this.renderer.forEachVisible(this.geometry, (frame, _, row) => {
            if (this.geometry.frameWidth(frame) >= LEAST_FRAME) {
                frames.push({
                    frame,
                    x: box.left + this.geometry.left(frame),
                    y: box.top + this.geometry.top(row),
                    width: this.geometry.frameWidth(frame),
                    height: this.rowHeight,
                    label: this.renderer.label(this.geometry, frame),
                });
            }
        });
        return frames;
    }
}
