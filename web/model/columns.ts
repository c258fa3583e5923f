// Reads the columns of the data. A column is a list of numbers or, as the program writes it, base64 of deflated varints.
import { bytesOfBase64, readVarints } from "./bytes";
import { inflate } from "./inflate";
import { Values } from "./tree";

// An error in the data, with a text for the user.
export class DataError extends Error {}

export function demand(condition: unknown, text: string): asserts condition {
    if (!condition) {
        throw new DataError(text);
    }
}

export interface Column {
    least?: number;
    limit: number; // all values are below this
    // In a packed column, each value is written as the difference from the previous one.
    ascending?: boolean;
}

// The class of an array that can hold the values.
export type Maker<T> = new (length: number) => T;

// Reads `count` whole numbers that are within the bounds.
export async function readColumn<T extends Values>(name: string, given: unknown, count: number, make: Maker<T>, column: Column):
Promise<T> {
    const { least = 0, limit, ascending = false } = column;
    if (typeof given !== "string") {
        const list = listOf(name, given, count);
        return checked(name, copy(list, new make(count), least, limit));
    }
    const bytes = await unpack(name, given);
    const wrong = name + ": not " + count + " values";
    demand(bytes.length >= count, wrong); // each value has at least one byte
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

// Copies the values. `bad`: the place of the first value that is not valid, or -1.
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
