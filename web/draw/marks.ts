// Draws the times at which all threads stood still, above the axis of time. Each is a line that is at least a pixel wide.
import { ThemeName } from "./colours";

export const MARK_COLOURS: Record<ThemeName, { pause: string; other: string }> = {
    light: { pause: "#b8460e", other: "#6a3d9a" },
    dark: { pause: "#f2995a", other: "#c3a1e6" },
};

export interface Mark {
    from: number; // from and to are shares of the width
    to: number;
    isPause: boolean; // whether it is a pause for garbage collection
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
