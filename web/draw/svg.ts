// Makes an SVG file of the graph. It contains every row, not only those for which the window has room.
import { Picture, forEachBox, sizeOf } from "./boxes";
import { FONT, PADDING } from "./renderer";

// Characters that XML cannot contain.
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

function escaped(text: string): string {
    return text.replace(NO_XML, "\ufffd").replace(/[&<>"]/g, (c) => "&#" + c.charCodeAt(0) + ";");
}

function number(value: number): string {
    return String(Math.round(value * 100) / 100);
}

// Makes an SVG file. The pictures are placed one below the other.
export function svgOf(title: string, pictures: Picture[]): string {
    const { width, height } = sizeOf(pictures);
    const { theme } = pictures[0].look;
    const parts = [
        `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" `
        + `viewBox="0 0 ${number(width)} ${number(height)}" font-family="${escaped(FONT.replace(/^\S+ /, ""))}" font-size="12">`,
        `<title>${escaped(title)}</title>`,
        `<rect width="100%" height="100%" fill="${theme.background}"/>`,
        `<text x="${PADDING}" y="15" fill="${theme.quietText}">${escaped(title)}</text>`,
    ];
    forEachBox(pictures, (box, { tell }) => {
        parts.push(`<g><title>${escaped(box.several ? "several narrow frames" : tell(box.frame))}</title>`
            + `<rect x="${number(box.x)}" y="${number(box.y)}" width="${number(box.width)}" height="${box.height}" fill="${box.fill}"/>`
            + (box.label === "" ? "" : `<text x="${number(box.labelX)}" y="${number(box.labelY)}" fill="${box.text}" `
                + `xml:space="preserve">${escaped(box.label)}</text>`) + "</g>");
    });
    parts.push("</svg>\n");
    return parts.join("\n");
}
