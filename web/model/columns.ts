// The columns of the data: a list of numbers, or base64 of deflated varints, which is what the program writes.
import { bytesOfBase64, readVarints } from "./bytes";
import { inflate } from "./inflate";

// What is wrong with the data, in words for the user.
export class DataError extends Error {}

export function demand(condition: unknown, text: string): asserts condition {
    if (!condition) {
        throw new DataError(text);
    }
}

export interface Column {
    least?: number;
    limit: number; // values are below it
    // Packed, each value is the difference to the one before it.
    ascending?: boolean;
}

// Whole numbers, `count` of them, in bounds.
export async function readColumn(name: string, given: unknown, count: number, { least = 0, limit, ascending }: Column):
Promise<Float64Array> {
    const values = typeof given === "string" ? await unpack(name, given, count, ascending === true) : plain(name, given);
    demand(values.length === count, name + ": " + values.length + " values for " + count);
    for (let i = 0; i < count; i++) {
        const value = values[i];
        if (!(value >= least && value < limit && Math.floor(value) === value)) {
            throw new DataError(name + "[" + i + "]: out of bounds");
        }
    }
    return values;
}

function plain(name: string, given: unknown): Float64Array {
    demand(Array.isArray(given), name + ": missing");
    demand(given.every((value) => typeof value === "number"), name + ": not a list of numbers");
    return Float64Array.from(given as number[]);
}

async function unpack(name: string, given: string, count: number, ascending: boolean): Promise<Float64Array> {
    let values: Float64Array | null = null;
    try {
        values = readVarints(await inflate(bytesOfBase64(given)), count);
    } catch (error) {
        throw new DataError(name + ": not deflated (" + String(error instanceof Error ? error.message : error) + ")");
    }
    demand(values, name + ": not " + count + " values");
    for (let i = 1; ascending && i < count; i++) {
        values[i] += values[i - 1];
    }
    return values;
}
