// Computes where frames are on the screen. This is pure arithmetic over a tree, and draws nothing.
//
// The zoomed frame fills the width. Its ancestors are above it (below it when flipped), each as wide as the screen. Its descendants share
// its width by weight. Coordinates are CSS pixels from the top left corner of the visible part.
import { Range, Tree, firstStartingAt, frameCovering, levelsUnder, pathTo } from "../model/tree";

export interface View {
    flip: boolean; // the root is at the bottom
    width: number;
    height: number;
    rowHeight: number;
    scroll: number;
}

export class Geometry {
    readonly flip: boolean;
    readonly width: number;
    readonly height: number;
    readonly rowHeight: number;
    readonly scroll: number;
    readonly path: number[];
    readonly levels: Range[];
    private readonly scale: number;

    constructor(readonly tree: Tree, readonly zoom: number, { flip, width, height, rowHeight, scroll }: View) {
        this.flip = flip;
        this.width = width;
        this.height = height;
        this.rowHeight = rowHeight;
        this.scroll = scroll;
        this.path = pathTo(tree, zoom);
        this.levels = levelsUnder(tree, zoom);
        this.scale = tree.total[zoom] > 0 ? width / tree.total[zoom] : 0;
    }

    get rows(): number {
        return this.path.length - 1 + this.levels.length;
    }

    // The height of all rows. If it is less than the height of the view, the rows are at the top of the view, or at its bottom when
    // flipped.
    get contentHeight(): number {
        return this.rows * this.rowHeight;
    }

    top(row: number): number {
        if (!this.flip) {
            return row * this.rowHeight - this.scroll;
        }
        return Math.max(this.contentHeight, this.height) - (row + 1) * this.rowHeight - this.scroll;
    }

    rowAt(y: number): number {
        const fromTop = y + this.scroll;
        const offset = this.flip ? Math.max(this.contentHeight, this.height) - fromTop : fromTop;
        // The lower edge of a flipped row belongs to the row below it.
        return this.flip ? Math.ceil(offset / this.rowHeight) - 1 : Math.floor(offset / this.rowHeight);
    }

    // Returns the frames of a row, as a range of numbers.
    row(row: number): Range {
        const above = this.path.length - 1;
        if (row < above) {
            return { from: this.path[row], to: this.path[row] + 1 };
        }
        return this.levels[row - above] || { from: 0, to: 0 };
    }

    isAbove(frame: number): boolean {
        return this.tree.depth[frame] < this.path.length - 1;
    }

    left(frame: number): number {
        return this.isAbove(frame) ? 0 : (this.tree.start[frame] - this.tree.start[this.zoom]) * this.scale;
    }

    frameWidth(frame: number): number {
        return this.isAbove(frame) ? this.width : this.tree.total[frame] * this.scale;
    }

    // Whether the zoomed view contains the frame, however narrow it is.
    shows(frame: number): boolean {
        const { from, to } = this.row(this.tree.depth[frame]);
        return frame >= from && frame < to;
    }

    // Returns the frame at a point, or -1.
    frameAt(x: number, y: number): number {
        const row = this.rowAt(y);
        if (row < 0 || row >= this.rows || x < 0 || x >= this.width) {
            return -1;
        }
        const { from, to } = this.row(row);
        if (row < this.path.length - 1) {
            return from;
        }
        return frameCovering(this.tree, this.tree.start[this.zoom] + x / this.scale, from, to);
    }

    // Calls visit(frame, next) for each piece of a row, from left to right. A piece is one frame that is at least `least` pixels wide (next
    // = frame + 1), or a run of narrower frames, frame .. next - 1, that share a pixel.
    forEachInRow(row: number, least: number, visit: (frame: number, next: number) => void): void {
        const { tree, scale } = this;
        const { from, to } = this.row(row);
        const origin = tree.start[this.zoom];
        for (let i = from; i < to;) {
            let next = i + 1;
            if (this.frameWidth(i) < least) {
                const pixelEnd = Math.floor((tree.start[i] - origin) * scale + 1);
                next = Math.max(next, firstStartingAt(tree, origin + pixelEnd / scale, i + 1, to));
                // The last frame that begins in this pixel may be wide.
                if (next - 1 > i && this.frameWidth(next - 1) >= least) {
                    next--;
                }
            }
            visit(i, next);
            i = next;
        }
    }
}
