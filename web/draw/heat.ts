// Draws weights over time: the grid of cells.
import { Grid } from "../model/timeline";
import { ThemeName } from "./colours";

// From nothing to the most. The steps differ in lightness, which every eye can distinguish.
const STEPS: Record<ThemeName, string[]> = {
    light: ["#eef1f5", "#cfe0f1", "#a3c4e4", "#6f9fd0", "#3f78b5", "#1f5493", "#0b3263"],
    dark: ["#24282f", "#2b3f57", "#335a82", "#4179ae", "#5f9bd2", "#92c0ea", "#d3e8fb"],
};

// Returns the color of a part of the most. If there is nothing at all, the part is 0/0.
export function stepColour(theme: ThemeName, part: number): string {
    return STEPS[theme][part > 0 ? Math.min(6, 1 + Math.floor(part * 6)) : 0];
}

// Makes a canvas as large as it is shown, and empties it.
export function prepared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

export interface Span {
    from: number; // from and to are numbers of cells
    to: number;
}

// Draws the grid. Cells run from top to bottom in each column. The cells of `chosen` are highlighted. `cursor` is a cell, or -1.
export function drawGrid(canvas: HTMLCanvasElement, grid: Grid, theme: ThemeName, chosen: Span | null, cursor: number): void {
    const { clientWidth: width, clientHeight: height } = canvas;
    const context = prepared(canvas, width, height);
    const [w, h] = [width / grid.columns, height / grid.rows];
    grid.cells.forEach((weight, cell) => {
        context.globalAlpha = chosen && (cell < chosen.from || cell >= chosen.to) ? 0.3 : 1;
        context.fillStyle = stepColour(theme, weight / grid.scale);
        const [x, y] = [Math.floor(cell / grid.rows) * w, (cell % grid.rows) * h];
        context.fillRect(x, y, w - (w > 3 ? 0.5 : 0), h - (h > 3 ? 0.5 : 0));
    });
    context.globalAlpha = 1;
    if (cursor >= 0) {
        context.strokeStyle = theme === "light" ? "#000000" : "#ffffff";
        context.lineWidth = 2;
        context.strokeRect(Math.floor(cursor / grid.rows) * w, (cursor % grid.rows) * h, Math.max(w, 3), Math.max(h, 3));
    }
}
