// Draws when all threads stood still: a line each, at least a pixel wide, above the axis of time.
import { ThemeName } from "./colours";

export const MARK_COLOURS: Record<ThemeName, { pause: string; other: string }> = {
    light: { pause: "#b8460e", other: "#6a3d9a" },
    dark: { pause: "#f2995a", other: "#c3a1e6" },
};

export interface Mark {
    from: number; // shares of the width
    to: number;
    isPause: boolean; // of the garbage collector
}

export function drawMarks(canvas: HTMLCanvasElement, marks: Mark[], theme: ThemeName): void {
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const { from, to, isPause } of marks) {
        context.fillStyle = MARK_COLOURS[theme][isPause ? "pause" : "other"];
        context.fillRect(from * width, 1, Math.max(1, (to - from) * width), height - 2);
    }
}
