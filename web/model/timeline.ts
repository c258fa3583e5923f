// Makes a picture of the slices: columns for equal spans of time, each divided into cells.
import { Slices, threadFlags } from "./slices";

const MOST_COLUMNS = 240;
// The number of cells in a column, if there are more cells than columns.
const ROWS = 10;

export interface Grid {
    columns: number;
    rows: number; // number of cells in a column
    cellBuckets: number;
    cells: Float64Array; // column by column, in order of time
    largest: number;
    scale: number; // the value that is drawn as the most, so that one cell with much more does not make all others look empty
}

const SCALE_QUANTILE = 0.98;

// Returns the value that is the quantile SCALE_QUANTILE of the values above 0.
export function scaleOf(values: Float64Array): number {
    const some = values.filter((value) => value > 0).sort();
    return some.length > 0 ? some[Math.floor((some.length - 1) * SCALE_QUANTILE)] : 0;
}

// Returns how many buckets make a cell: 1, 2 or 5 times a power of ten.
function bucketsPerCell(buckets: number): number {
    for (let size = 1; ; size *= 10) {
        for (const nice of [1, 2, 5]) {
            if (buckets <= size * nice * MOST_COLUMNS * ROWS) {
                return size * nice;
            }
        }
    }
}

// Makes the grid for the time of the selected threads (none selected = all).
export function gridOf(slices: Slices, threads: number[]): Grid {
    const cellBuckets = bucketsPerCell(slices.buckets);
    const all = Math.max(1, Math.ceil(slices.buckets / cellBuckets));
    const rows = all > MOST_COLUMNS ? ROWS : 1;
    const columns = Math.ceil(all / rows);
    const cells = new Float64Array(columns * rows);
    const wanted = threadFlags(slices, threads);
    for (let i = 0; i < slices.count; i++) {
        if (wanted[slices.thread[i]]) {
            cells[Math.floor(slices.time[i] / cellBuckets)] += slices.weight[i];
        }
    }
    return { columns, rows, cellBuckets, cells, scale: scaleOf(cells), largest: cells.reduce((most, cell) => Math.max(most, cell), 0) };
}

export interface Lane {
    thread: number;
    weight: number;
    columns: Float64Array;
}

// Makes a lane per thread, with its time in each column. The threads with the most time come first.
export function lanesOf(slices: Slices, { columns, rows, cellBuckets }: Grid): Lane[] {
    const lanes: Lane[] = slices.threads.map((_, thread) => ({ thread, weight: 0, columns: new Float64Array(columns) }));
    const perColumn = rows * cellBuckets;
    for (let i = 0; i < slices.count; i++) {
        const lane = lanes[slices.thread[i]];
        lane.weight += slices.weight[i];
        lane.columns[Math.floor(slices.time[i] / perColumn)] += slices.weight[i];
    }
    return lanes.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight || a.thread - b.thread);
}
