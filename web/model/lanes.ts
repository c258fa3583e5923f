// Makes the lanes of threads: a row for each pool and each other thread, with what it did in each column of time.
import { STATES, Timeline } from "./slices";
import { Grid } from "./timeline";

// A pool is threads whose names differ only in the number at the end.
export interface Row {
    label: string;
    threads: number[];
    inside: boolean; // a thread below its pool
    weight: number;
}

export interface Lane extends Row {
    columns: Float64Array; // weight
    states: Float64Array | null; // weight by column and state; null = the samples do not have states
}

const stemOf = (name: string): string => name.replace(/\d+$/, "");

// Returns the rows, the largest first. Pools that are `open`, named by one of their threads, are followed by their threads.
export function rowsOf({ threads, count, thread, weight }: Timeline, open: number[]): Row[] {
    const sums = new Float64Array(threads.length);
    for (let i = 0; i < count; i++) {
        sums[thread[i]] += weight[i];
    }
    const pools = new Map<string, number[]>();
    threads.forEach((name, i) => {
        const members = pools.get(stemOf(name));
        if (sums[i] > 0 && members) {
            members.push(i);
        } else if (sums[i] > 0) {
            pools.set(stemOf(name), [i]);
        }
    });
    const larger = (a: { weight: number }, b: { weight: number }) => b.weight - a.weight;
    const single = (i: number, inside: boolean): Row => ({ label: threads[i], threads: [i], inside, weight: sums[i] });
    return [...pools].map(([stem, members]): Row => (members.length === 1 ? single(members[0], false)
        : { label: stem + "*", threads: members, inside: false, weight: members.reduce((sum, i) => sum + sums[i], 0) }))
        .sort(larger).flatMap((row) => (row.threads.length > 1 && row.threads.some((i) => open.includes(i))
            ? [row, ...row.threads.map((i) => single(i, true)).sort(larger)] : [row]));
}

// Returns the lanes of the rows, with the columns of the grid.
export function lanesOf(slices: Timeline, rows: Row[], { columns, rows: cells, cellBuckets, first }: Grid): Lane[] {
    const { threads, count, time, thread, weight, state } = slices;
    const lanes = rows.map((row) => ({
        ...row, columns: new Float64Array(columns), states: state ? new Float64Array(columns * STATES) : null,
    }));
    const lanesOfThread: Lane[][] = threads.map(() => []);
    lanes.forEach((lane) => lane.threads.forEach((i) => lanesOfThread[i].push(lane)));
    for (let i = 0; i < count; i++) {
        const column = Math.floor((time[i] - first) / (cells * cellBuckets));
        if (column >= 0 && column < columns) {
            for (const lane of lanesOfThread[thread[i]]) {
                lane.columns[column] += weight[i];
                if (lane.states && state) {
                    lane.states[column * STATES + state[i]] += weight[i];
                }
            }
        }
    }
    return lanes;
}
