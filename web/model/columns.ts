// The columns of the data: a list of numbers, or base64 of deflated varints, which is what the program writes.
import { bytesOfBase64, readVarints } from "./bytes";
import { inflate } from "./inflate";
import { Values } from "./tree";

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

// A kind of array that can hold the values.
export type Maker<T> = new (length: number) => T;

// Whole numbers, `count` of them, in bounds.
export async function readColumn<T extends Values>(name: string, given: unknown, count: number, make: Maker<T>, column: Column):
Promise<T> {
    const { least = 0, limit, ascending = false } = column;
    if (typeof given !== "string") {
        const list = listOf(name, given, count);
        return checked(name, copy(list, new make(count), least, limit));
    }
    const bytes = await unpack(name, given);
    const wrong = name + ": not " + count + " values";
    demand(bytes.length >= count, wrong); // each has a byte at least
    const values = new make(count);
    const bad = readVarints(bytes, values, { least, limit, ascending });
    demand(bad < count, wrong);
    return checked(name, { values, bad });
}

function checked<T>(name: string, { values, bad }: { values: T; bad: number }): T {
    if (bad >= 0) {
        throw new DataError(name + "[" + bad + "]: out of bounds");
    }
    return values;
}

function listOf(name: string, given: unknown, count: number): number[] {
    demand(Array.isArray(given), name + ": missing");
    demand(given.every((value) => typeof value === "number"), name + ": not a list of numbers");
    demand(given.length === count, name + ": " + given.length + " values for " + count);
    return given as number[];
}

// `bad`: the first value that is none, or -1.
function copy<T extends Values>(list: number[], values: T, least: number, limit: number): { values: T; bad: number } {
    const to: Values = values;
    const bad = list.findIndex((value) => !(value >= least && value < limit && Math.floor(value) === value));
    if (bad < 0) {
        list.forEach((value, i) => { to[i] = value; });
    }
    return { values, bad };
}

async function unpack(name: string, given: string): Promise<Uint8Array> {
    try {
        return await inflate(bytesOfBase64(given));
    } catch (error) {
        throw new DataError(name + ": not deflated (" + String(error instanceof Error ? error.message : error) + ")");
    }
}
