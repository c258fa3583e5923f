// The part of the time that the axis shows. All charts over time share it; the choice of a time does not depend on it.
import { Timeline } from "../model/slices";
import { Window } from "../model/timeline";
import { App } from "./app";

const LEAST_BUCKETS = 10;
const STEP = 2; // how many times longer or shorter the axis becomes

export function windowOf({ state: { axis } }: App, { buckets }: Timeline): Window {
    return axis.length === 2 ? { from: axis[0], to: axis[1] } : { from: 0, to: buckets };
}

// Shows `length` buckets, of which the first is `from`, as far as there are so many.
function show(app: App, { buckets }: Timeline, from: number, length: number): void {
    const whole = Math.min(buckets, Math.max(LEAST_BUCKETS, Math.round(length)));
    const first = Math.max(0, Math.min(buckets - whole, Math.round(from)));
    app.change({ axis: whole === buckets ? [] : [first, first + whole] });
}

// Zooms in (steps > 0) or out, so that the time at `at`, a share of the axis, stays in its place.
export function zoomAxis(app: App, slices: Timeline, steps: number, at: number): void {
    const { from, to } = windowOf(app, slices);
    const length = Math.max(LEAST_BUCKETS, (to - from) / STEP ** steps);
    show(app, slices, from + at * (to - from - length), length);
}

// Moves by a share of the axis.
export function moveAxis(app: App, slices: Timeline, share: number): void {
    const { from, to } = windowOf(app, slices);
    show(app, slices, from + share * (to - from), to - from);
}

// Shows the chosen time and a little around it.
export function zoomToChosen(app: App, slices: Timeline): void {
    const { from, to } = app.state;
    const length = (to < 0 ? slices.buckets : to) - from;
    show(app, slices, from - 0.1 * length, 1.2 * length);
}
