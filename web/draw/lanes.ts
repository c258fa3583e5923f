// Draws the lane of threads: what they did in each column of time, below it their single events, and below these the spans for which they
// worked. Each state has a color and a height, so that it can be told without colors.
import { Lane } from "../model/lanes";
import { STATES } from "../model/slices";
import { ThemeName } from "./colours";
import { prepared, stepColour } from "./heat";

export interface Look {
    word: string;
    colour: Record<ThemeName, string>;
    height: number; // as a part of the lane
}

const look = (word: string, light: string, dark: string, height: number): Look => ({ word, colour: { light, dark }, height });

// The states, in the order of model/slices.ts, and then what only events tell.
export const LOOKS: Look[] = [
    look("unknown", "#c3c8d0", "#464c56", 0.2), look("running", "#2a8f6d", "#44bb99", 1),
    look("ready, without a processor", "#d9a400", "#eedd88", 0.85), look("waiting for a monitor", "#c8324b", "#ff8a95", 0.7),
    look("waiting or parked", "#77aadd", "#5f8fbf", 0.4), look("sleeping", "#9aa1ad", "#767d89", 0.25),
    look("I/O", "#7d4fa8", "#c3a1e6", 0.55), look("other wait", "#8a6d1c", "#c9b458", 0.55),
    look("exception", "#16181c", "#ffffff", 1), look("deoptimization", "#d5602a", "#f2995a", 1),
    look("span of a request", "#00758f", "#66ccee", 1),
];
const [OTHER, EXCEPTION, DEOPTIMIZATION] = [7, 8, 9];
export const SPAN = 10;
const OF_KIND: Record<string, number> = {
    monitor: 3, wait: 4, park: 4, sleep: 5, socket_read: 6, socket_write: 6, file_read: 6, file_write: 6, file_force: 6,
    exception: EXCEPTION, deoptimization: DEOPTIMIZATION,
};

// Returns the number of the look of a kind of event.
export const lookOfKind = (kind: string): number => (Object.hasOwn(OF_KIND, kind) ? OF_KIND[kind] : OTHER);

export interface Event {
    from: number; // from and to are shares of the width
    to: number;
    look: number;
}

const EVENTS_HEIGHT = 6;
const SPANS_HEIGHT = 3;

export interface OnLane {
    events: Event[]; // and spans
    hasSpans: boolean; // the page has spans, so there is room for them
}

// `most`: the largest column of all lanes, so that lanes can be compared.
export function drawLane(canvas: HTMLCanvasElement, lane: Lane, most: number, { events, hasSpans }: OnLane, theme: ThemeName): void {
    const { clientWidth: width, clientHeight } = canvas;
    const context = prepared(canvas, width, clientHeight);
    const height = clientHeight - EVENTS_HEIGHT - 1 - (hasSpans ? SPANS_HEIGHT + 1 : 0);
    const w = width / lane.columns.length;
    lane.columns.forEach((weight, column) => {
        const state = lane.states && weight > 0 ? largest(lane.states, column) : -1;
        const part = state >= 0 ? LOOKS[state].height : 1;
        context.fillStyle = state >= 0 ? LOOKS[state].colour[theme] : stepColour(theme, weight / most);
        context.fillRect(column * w, height * (1 - part), Math.ceil(w), height * part);
    });
    for (const { from, to, look: number } of events) {
        const isSpan = number === SPAN; // spans that follow each other have a gap between them
        context.fillStyle = LOOKS[number].colour[theme];
        const [top, thick, gap] = isSpan ? [clientHeight - SPANS_HEIGHT, SPANS_HEIGHT, 1] : [height + 1, EVENTS_HEIGHT, 0];
        context.fillRect(from * width, top, Math.max(1.5, (to - from) * width - gap), thick);
    }
}

// Returns the state with most weight in a column.
function largest(states: Float64Array, column: number): number {
    let most = 0;
    for (let state = 1; state < STATES; state++) {
        most = states[column * STATES + state] > states[column * STATES + most] ? state : most;
    }
    return most;
}
