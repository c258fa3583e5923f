// Makes a PNG file of the graph, with every row.
import { Picture, forEachBox, sizeOf } from "./boxes";
import { FONT, PADDING } from "./renderer";

// Pixels of the file for each pixel of the page, so that text is sharp in print. Browsers refuse canvases that are larger than the limits.
const SHARP = 2;
const LONGEST_SIDE = 16_000;

// Returns null if the browser cannot make so large a picture.
export function pngOf(title: string, pictures: Picture[]): Promise<Blob | null> {
    const { width, height } = sizeOf(pictures);
    const { theme } = pictures[0].look;
    const scale = Math.min(SHARP, LONGEST_SIDE / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) {
        return Promise.resolve(null);
    }
    context.scale(scale, scale);
    context.font = FONT;
    context.direction = "ltr";
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width, height);
    context.fillStyle = theme.quietText;
    context.fillText(title, PADDING, 15);
    forEachBox(pictures, (box) => {
        context.fillStyle = box.fill;
        context.fillRect(box.x, box.y, box.width, box.height);
        context.fillStyle = box.text;
        context.fillText(box.label, box.labelX, box.labelY);
    });
    return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
