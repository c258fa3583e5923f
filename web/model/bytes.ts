// Reads bytes inside a text: base64, and the varints of a column. README.md describes both.
import { Values } from "./tree";

export function bytesOfBase64(text: string): Uint8Array {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) {
        bytes[i] = raw.charCodeAt(i);
    }
    return bytes;
}

export interface Bounds {
    least: number;
    limit: number; // all values are below this
    ascending: boolean; // each number is the difference from the previous value
}

// Fills `values` with unsigned LEB128 numbers. Returns -1 if all are good, or the place of the first value that is out of bounds. Returns
// values.length if there are too few or too many bytes.
export function readVarints(bytes: Uint8Array, values: Values, { least, limit, ascending }: Bounds): number {
    const count = values.length;
    let at = 0;
    let before = 0;
    for (let i = 0; i < count; i++) {
        let byte = bytes[at++];
        let value = byte & 0x7f;
        for (let scale = 128; byte > 0x7f; scale *= 128) {
            byte = bytes[at++];
            value += (byte & 0x7f) * scale;
        }
        value += before;
        if (!(value >= least && value < limit)) {
            return at > bytes.length ? count : i;
        }
        values[i] = value;
        before = ascending ? value : 0;
    }
    return at === bytes.length ? -1 : count;
}
