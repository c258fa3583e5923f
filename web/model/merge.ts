// Builds columns frame by frame. Frames are looked up by parent, name and type, so that each is made only once.
import { Columns } from "./tree";

const FIRST_CAPACITY = 1 << 10;

export class Merge {
    private count = 1;
    // A hash table with open addressing, at most half full. A slot has a frame's number, found by its parent, name and type; 0 = a free
    // slot.
    private slots = new Int32Array(2 * FIRST_CAPACITY);
    private parent = new Int32Array(FIRST_CAPACITY);
    private name = new Int32Array(FIRST_CAPACITY);
    private type = new Uint8Array(FIRST_CAPACITY);
    private self = new Float64Array(FIRST_CAPACITY);
    private other = new Float64Array(FIRST_CAPACITY);

    constructor(rootName: number, rootType: number, private readonly compares: boolean) {
        this.name[0] = rootName;
        this.type[0] = rootType;
    }

    nameOf(frame: number): number {
        return this.name[frame];
    }

    child(parent: number, name: number, type: number): number {
        if (this.count === this.parent.length) {
            this.grow();
        }
        const slot = this.slotOf(parent, name, type);
        if (this.slots[slot] === 0) {
            const frame = this.count++;
            this.slots[slot] = frame;
            this.parent[frame] = parent;
            this.name[frame] = name;
            this.type[frame] = type;
        }
        return this.slots[slot];
    }

    private slotOf(parent: number, name: number, type: number): number {
        const mask = this.slots.length - 1;
        const hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(name, 0x85ebca6b) ^ Math.imul(type, 0xc2b2ae35);
        let slot = (hash ^ (hash >>> 15)) & mask;
        for (let frame = this.slots[slot]; frame !== 0; frame = this.slots[slot]) {
            if (this.parent[frame] === parent && this.name[frame] === name && this.type[frame] === type) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private grow(): void {
        const capacity = 2 * this.parent.length;
        const copy = <T extends { set(from: T): void }>(to: T, from: T) => {
            to.set(from);
            return to;
        };
        this.parent = copy(new Int32Array(capacity), this.parent);
        this.name = copy(new Int32Array(capacity), this.name);
        this.type = copy(new Uint8Array(capacity), this.type);
        this.self = copy(new Float64Array(capacity), this.self);
        this.other = copy(new Float64Array(capacity), this.other);
        this.slots = new Int32Array(2 * capacity);
        for (let i = 1; i < this.count; i++) {
            this.slots[this.slotOf(this.parent[i], this.name[i], this.type[i])] = i;
        }
    }

    add(frame: number, self: number, other: number): void {
        this.self[frame] += self;
        this.other[frame] += other;
    }

    columns(): Columns {
        const { count } = this;
        return {
            parent: this.parent.slice(0, count),
            name: this.name.slice(0, count),
            type: this.type.slice(0, count),
            self: this.self.slice(0, count),
            other: this.compares ? this.other.slice(0, count) : undefined,
        };
    }
}
