// Makes an SVG file of the graph. It contains every row, not only those for which the window has room.
import { Geometry } from "./geometry";
import { FONT, LEAST_FRAME, Look, PADDING, Renderer, styleOf } from "./renderer";

const HEAD = 22;
const GAP = 6; // pixels between two pictures
// Characters that XML cannot contain.
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

function escaped(text: string): string {
    return text.replace(NO_XML, "\ufffd").replace(/[&<>"]/g, (c) => "&#" + c.charCodeAt(0) + ";");
}

function number(value: number): string {
    return String(Math.round(value * 100) / 100);
}

export interface Picture {
    geometry: Geometry;
    look: Look;
    renderer: Renderer;
    tell: (frame: number) => string; // describes a frame in one line
}

// Makes an SVG file. The pictures are placed one below the other.
export function svgOf(title: string, pictures: Picture[]): string {
    const width = Math.max(...pictures.map(({ geometry }) => geometry.width));
    const height = pictures.reduce((sum, { geometry }) => sum + geometry.contentHeight + GAP, HEAD - GAP);
    const { theme } = pictures[0].look;
    const parts = [
        `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" `
        + `viewBox="0 0 ${number(width)} ${number(height)}" font-family="${escaped(FONT.replace(/^\S+ /, ""))}" font-size="12">`,
        `<title>${escaped(title)}</title>`,
        `<rect width="100%" height="100%" fill="${theme.background}"/>`,
        `<text x="${PADDING}" y="15" fill="${theme.quietText}">${escaped(title)}</text>`,
    ];
    let top = HEAD;
    for (const picture of pictures) {
        addFrames(parts, picture, top);
        top += picture.geometry.contentHeight + GAP;
    }
    parts.push("</svg>\n");
    return parts.join("\n");
}

function addFrames(parts: string[], { geometry, look, renderer, tell }: Picture, top: number): void {
    const { tree, zoom, flip, width, contentHeight, rowHeight } = geometry;
    const whole = new Geometry(tree, zoom, { flip, width, height: contentHeight, rowHeight, scroll: 0 });
    for (let row = 0; row < whole.rows; row++) {
        whole.forEachInRow(row, LEAST_FRAME, (frame, next) => {
            const { fill, text } = styleOf(whole, look, frame, next);
            const x = whole.left(frame);
            const y = whole.top(row) + top;
            const box = Math.max(whole.frameWidth(frame) - 0.5, LEAST_FRAME);
            const label = next === frame + 1 ? renderer.label(whole, frame) : "";
            parts.push(`<g><title>${escaped(next === frame + 1 ? tell(frame) : "several narrow frames")}</title>`
                + `<rect x="${number(x)}" y="${number(y)}" width="${number(box)}" height="${rowHeight - 1}" fill="${fill}"/>`
                + (label === "" ? "" : `<text x="${number(x + PADDING)}" y="${number(y + rowHeight / 2 + 4)}" fill="${text}" `
                    + `xml:space="preserve">${escaped(label)}</text>`) + "</g>");
        });
    }
}
