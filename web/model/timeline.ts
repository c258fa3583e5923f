// Makes a picture of the slices: columns for equal spans of time, each divided into cells.
import { Timeline, threadFlags } from "./slices";

const MOST_COLUMNS = 240;
// The number of cells in a column, if there are more cells than columns.
const ROWS = 10;

export interface Grid {
    columns: number;
    rows: number; // number of cells in a column
    cellBuckets: number;
    cells: Float64Array; // column by column, in order of time
    first: number; // the first bucket
    largest: number;
    scale: number; // the value that is drawn as the most, so that one cell with much more does not make all others look empty
}

const SCALE_QUANTILE = 0.98;

// Returns the value that is the quantile SCALE_QUANTILE of the values above 0.
export function scaleOf(values: Float64Array): number {
    const some = values.filter((value) => value > 0).sort();
    return some.length > 0 ? some[Math.floor((some.length - 1) * SCALE_QUANTILE)] : 0;
}

// A part of the axis of time: buckets from .. to - 1.
export interface Window {
    from: number;
    to: number;
}

// In a longer time, shorter cells would only show the moments of samples.
const FINE_NS = 1e7;

// Returns how many buckets make a cell: 1, 2 or 5 times a power of ten.
function bucketsPerCell(buckets: number, bucketNs: number): number {
    const least = Math.max(buckets / MOST_COLUMNS / ROWS, Math.min(FINE_NS / bucketNs, buckets / MOST_COLUMNS));
    for (let size = 1; ; size *= 10) {
        for (const nice of [1, 2, 5]) {
            if (least <= size * nice) {
                return size * nice;
            }
        }
    }
}

// Makes the grid for a part of the time, of the selected threads (none selected = all).
export function gridOf(slices: Timeline, threads: number[], { from, to }: Window): Grid {
    const cellBuckets = bucketsPerCell(to - from, slices.bucketNs);
    const all = Math.max(1, Math.ceil((to - from) / cellBuckets));
    const rows = all > MOST_COLUMNS ? ROWS : 1;
    const columns = Math.ceil(all / rows);
    const cells = new Float64Array(columns * rows);
    const wanted = threadFlags(slices, threads);
    for (let i = 0; i < slices.count; i++) {
        if (wanted[slices.thread[i]] && slices.time[i] >= from && slices.time[i] < to) {
            cells[Math.floor((slices.time[i] - from) / cellBuckets)] += slices.weight[i];
        }
    }
    return {
        columns, rows, cellBuckets, first: from, cells, scale: scaleOf(cells),
        largest: cells.reduce((most, cell) => Math.max(most, cell), 0),
    };
}
