// Inflates bytes (RFC 1951 inside RFC 1950) for browsers without DecompressionStream. Other browsers use that.

const LENGTH_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST_CODE = 15;
const ZLIB_HEADER = 2;
const ZLIB_CHECKSUM = 4;

// A canonical Huffman code: the number of codes of each length, and the symbols in the order of their codes.
interface Code {
    counts: Uint16Array;
    symbols: Uint16Array;
}

function codeOf(lengths: number[]): Code {
    const counts = new Uint16Array(LONGEST_CODE + 1);
    const offsets = new Uint16Array(LONGEST_CODE + 2);
    lengths.forEach((length) => { counts[length]++; });
    counts[0] = 0;
    for (let i = 1; i <= LONGEST_CODE; i++) {
        offsets[i + 1] = offsets[i] + counts[i];
    }
    const symbols = new Uint16Array(lengths.length);
    lengths.forEach((length, symbol) => {
        if (length > 0) {
            symbols[offsets[length]++] = symbol;
        }
    });
    return { counts, symbols };
}

function repeat(value: number, times: number): number[] {
    return new Array<number>(times).fill(value);
}

const FIXED_LITERALS = codeOf([...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)]);
const FIXED_DISTANCES = codeOf(repeat(5, 30));

class Inflater {
    private at = ZLIB_HEADER;
    private bits = 0;
    private held = 0;
    private out = new Uint8Array(1 << 16);
    private size = 0;

    constructor(private readonly bytes: Uint8Array) {}

    run(): Uint8Array {
        let last = 0;
        while (!last) {
            last = this.take(1);
            const kind = this.take(2);
            if (kind === 0) {
                this.stored();
            } else if (kind === 1) {
                this.block(FIXED_LITERALS, FIXED_DISTANCES);
            } else if (kind === 2) {
                this.dynamic();
            } else {
                throw new Error("an unknown kind of block");
            }
        }
        return this.out.subarray(0, this.size);
    }

    private take(count: number): number {
        while (this.held < count) {
            if (this.at >= this.bytes.length) {
                throw new Error("the data are cut");
            }
            this.bits |= this.bytes[this.at++] << this.held;
            this.held += 8;
        }
        const value = this.bits & ((1 << count) - 1);
        this.bits >>>= count;
        this.held -= count;
        return value;
    }

    private symbol({ counts, symbols }: Code): number {
        let code = 0;
        let first = 0;
        let index = 0;
        for (let length = 1; length <= LONGEST_CODE; length++) {
            code |= this.take(1);
            const count = counts[length];
            if (code - count < first) {
                return symbols[index + code - first];
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        throw new Error("no such code");
    }

    private room(more: number): void {
        if (this.size + more > this.out.length) {
            const larger = new Uint8Array(Math.max(2 * this.out.length, this.size + more));
            larger.set(this.out.subarray(0, this.size));
            this.out = larger;
        }
    }

    private stored(): void {
        this.bits = this.held = 0;
        const length = this.bytes[this.at] | (this.bytes[this.at + 1] << 8);
        this.at += 4;
        if (!(this.at + length <= this.bytes.length)) {
            throw new Error("the data are cut");
        }
        this.room(length);
        this.out.set(this.bytes.subarray(this.at, this.at + length), this.size);
        this.at += length;
        this.size += length;
    }

    private dynamic(): void {
        const literals = this.take(5) + 257;
        const distances = this.take(5) + 1;
        const known = this.take(4) + 4;
        const first = repeat(0, CODE_LENGTH_ORDER.length);
        for (let i = 0; i < known; i++) {
            first[CODE_LENGTH_ORDER[i]] = this.take(3);
        }
        const code = codeOf(first);
        const lengths: number[] = [];
        while (lengths.length < literals + distances) {
            const symbol = this.symbol(code);
            if (symbol < 16) {
                lengths.push(symbol);
            } else if (symbol === 16) {
                lengths.push(...repeat(lengths[lengths.length - 1] ?? 0, this.take(2) + 3));
            } else {
                lengths.push(...repeat(0, symbol === 17 ? this.take(3) + 3 : this.take(7) + 11));
            }
        }
        this.block(codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals, literals + distances)));
    }

    private block(literals: Code, distances: Code): void {
        for (;;) {
            const symbol = this.symbol(literals);
            if (symbol === 256) {
                return;
            }
            if (symbol < 256) {
                this.room(1);
                this.out[this.size++] = symbol;
            } else {
                const length = LENGTH_BASE[symbol - 257] + this.take(LENGTH_BITS[symbol - 257]);
                this.copy(length, this.symbol(distances));
            }
        }
    }

    private copy(length: number, distanceCode: number): void {
        const extra = distanceCode < 4 ? 0 : (distanceCode >> 1) - 1;
        const base = distanceCode < 4 ? distanceCode : (2 + (distanceCode & 1)) << extra;
        const distance = base + 1 + this.take(extra);
        if (!(distance <= this.size)) {
            throw new Error("a copy from before the beginning of the data");
        }
        this.room(length);
        for (let i = 0; i < length; i++, this.size++) {
            this.out[this.size] = this.out[this.size - distance];
        }
    }
}

// The checksum of zlib (Adler-32), which follows the deflated bytes.
function checksum(bytes: Uint8Array): number {
    let [a, b] = [1, 0];
    for (const byte of bytes) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    return b * 65536 + a;
}

export function inflateHere(bytes: Uint8Array): Uint8Array {
    const end = Math.max(0, bytes.length - ZLIB_CHECKSUM);
    const made = new Inflater(bytes.subarray(0, end)).run();
    const stated = bytes.subarray(end).reduce((number, byte) => number * 256 + byte, 0);
    if (checksum(made) !== stated) {
        throw new Error("wrong checksum");
    }
    return made;
}

// Inflates bytes. Throws an Error if they are not deflated. A browser's stream may also fail for reasons of its own, so what it refuses is
// tried here.
export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
    if (typeof DecompressionStream !== "function") {
        return inflateHere(bytes);
    }
    try {
        const { readable, writable } = new DecompressionStream("deflate");
        const writer = writable.getWriter();
        const [all] = await Promise.all([new Response(readable).arrayBuffer(), writer.write(bytes), writer.close()]);
        return new Uint8Array(all);
    } catch {
        return inflateHere(bytes);
    }
}

// TypeScript 4.8 does not know this class yet.
declare const DecompressionStream: (new (format: "deflate") => ReadableWritablePair<Uint8Array, Uint8Array>) | undefined;
