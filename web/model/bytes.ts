// Bytes inside a text: base64, and the varints of a column. README.md draws them.

export function bytesOfBase64(text: string): Uint8Array {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) {
        bytes[i] = raw.charCodeAt(i);
    }
    return bytes;
}

// Reads exactly `count` unsigned LEB128 values; null when there are more, or fewer, or one that is cut.
export function readVarints(bytes: Uint8Array, count: number): Float64Array | null {
    const values = new Float64Array(count);
    let at = 0;
    for (let i = 0; i < count; i++) {
        let byte = bytes[at++];
        let value = byte & 0x7f;
        for (let scale = 128; byte & 0x80; scale *= 128) {
            byte = bytes[at++];
            value += (byte & 0x7f) * scale;
        }
        values[i] = value;
    }
    return at === bytes.length ? values : null;
}
