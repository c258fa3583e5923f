// Bytes inside a text: base64, and the varints of a column. README.md draws them.
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
    limit: number; // values are below it
    ascending: boolean; // each number is the difference to the one before
}

// Fills `values` with unsigned LEB128 numbers. Returns -1, or the place of the first that is out of bounds, or how many values there
// are to be when the bytes are more or fewer than they need.
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
