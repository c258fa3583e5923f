// Places the frames of whole pictures, every row and not only those for which the window has room, for the files that a user can save
// (svg.ts and png.ts).
import { Geometry } from "./geometry";
import { LEAST_FRAME, Look, PADDING, Renderer, Style, styleOf } from "./renderer";

export const HEAD = 22;
const GAP = 6; // pixels between two pictures

export interface Picture {
    geometry: Geometry;
    look: Look;
    renderer: Renderer;
    tell: (frame: number) => string; // describes a frame in one line
}

export interface Box extends Style {
    frame: number; // the first of several narrow frames if `several`
    several: boolean;
    x: number;
    y: number;
    width: number;
    height: number;
    label: string; // "" = there is no room for one
    labelX: number;
    labelY: number; // its base line
}

// Returns the size of the pictures, one below the other, with a head of HEAD pixels.
export function sizeOf(pictures: Picture[]): { width: number; height: number } {
    return {
        width: Math.max(...pictures.map(({ geometry }) => geometry.width)),
        height: pictures.reduce((sum, { geometry }) => sum + geometry.contentHeight + GAP, HEAD - GAP),
    };
}

export function forEachBox(pictures: Picture[], visit: (box: Box, picture: Picture) => void): void {
    let top = HEAD;
    for (const picture of pictures) {
        boxesOf(picture, top, visit);
        top += picture.geometry.contentHeight + GAP;
    }
}

function boxesOf(picture: Picture, top: number, visit: (box: Box, picture: Picture) => void): void {
    const { geometry, look, renderer } = picture;
    const { tree, zoom, flip, width, contentHeight, rowHeight } = geometry;
    const whole = new Geometry(tree, zoom, { flip, width, height: contentHeight, rowHeight, scroll: 0 });
    for (let row = 0; row < whole.rows; row++) {
        const y = whole.top(row) + top;
        whole.forEachInRow(row, LEAST_FRAME, (frame, next) => {
            const several = next > frame + 1;
            const x = whole.left(frame);
            visit({
                ...styleOf(whole, look, frame, next), frame, several, x, y,
                width: Math.max(whole.frameWidth(frame) - 0.5, LEAST_FRAME), height: rowHeight - 1,
                label: several ? "" : renderer.label(whole, frame), labelX: x + PADDING, labelY: y + rowHeight / 2 + 4,
            }, picture);
        });
    }
}
