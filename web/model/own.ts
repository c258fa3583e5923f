// The program's own code, and what stands around it: libraries, the JDK, native code, the JVM, the kernel.
//
// In the tree "own first" every run of frames that are not the program's is one frame. From the root down to the program's first frame
// it is named after the library, or else the JDK ("… org.apache.catalina"). Below a frame of the program's it is the method that this one
// called, with all that this method called in turn; what the kernel did for it is a frame of its own.
import { withoutEmpty } from "./filters";
import { Merge } from "./merge";
import { HOLDER_RUNS, kindOfCode } from "./names";
import { Columns } from "./tree";

// Per name: 0 = nobody knows.
const PROGRAM = 1;
const JDK = 2;
export const FIRST_LIBRARY = 3;

export interface Owners {
    labels: string[]; // by owner
    of: Uint16Array; // by name
}

// What the frames of a profile are made of, for all that follows.
export interface OwnCode {
    isOwn: Uint8Array; // by name, of Java's frames
    isJava: Uint8Array; // by type
    keeps: Uint8Array; // by type: frames that are never folded, since they say what the picture lacks, or whose it is
    kernel: number; // type, or -1
    folded: number; // type of the frames that stand for runs
    jdk: number; // the name of a run of the JDK's frames
    isLibrary: (run: number) => boolean; // whether a run of that name has a library's
    labelOf: (name: number, type: number) => number; // the name of a run of such frames
}

export const FOLDED_TYPE = "Folded";

// Kinds of frames that say what the picture lacks, or whose it is, and not where the program was.
export function isNoPlace(kind: string): boolean {
    return ["threads", "failed walks", "missing frames", "classes", HOLDER_RUNS].includes(kind);
}

// `own`: beginnings of names, with blanks or commas between; "" = what neither the JDK nor a known library has. addName returns the
// number of a name.
export function ownCode(strings: string[], types: string[], owners: Owners, own: string, addName: (name: string) => number): OwnCode {
    const begins = own.split(/[\s,]+/).filter((text) => text !== "");
    const isOwn = Uint8Array.from(strings, (name, i) => Number(begins.length > 0 ? begins.some((text) => name.startsWith(text))
        : owners.of[i] === PROGRAM));
    const kinds = types.map(kindOfCode);
    const runs = new Map<string, number>();
    const runName = (label: string) => {
        const known = runs.get(label) ?? addName("… " + label);
        runs.set(label, known);
        return known;
    };
    const ofOwner = owners.labels.map((label) => runName(label || "other code"));
    const ofType = kinds.map((kind) => (kind === null ? 0 : runName(kind)));
    return {
        isOwn,
        isJava: Uint8Array.from(kinds, (kind) => Number(kind === null)),
        keeps: Uint8Array.from(kinds, (kind) => Number(kind !== null && isNoPlace(kind))),
        kernel: types.indexOf("Kernel"),
        folded: typeNumber(types),
        jdk: ofOwner[JDK],
        isLibrary: (run) => ofOwner.indexOf(run) >= FIRST_LIBRARY,
        labelOf: (name, type) => ofType[type] || ofOwner[owners.of[name]],
    };
}

function typeNumber(types: string[]): number {
    const known = types.indexOf(FOLDED_TYPE);
    return known >= 0 ? known : types.push(FOLDED_TYPE) - 1;
}

export function isOwnFrame({ isOwn, isJava }: OwnCode, { name, type }: Columns, i: number): boolean {
    return i > 0 && isJava[type[i]] === 1 && isOwn[name[i]] === 1;
}

// The part of all weight that lies in the program's own frames and below them.
export function ownShare(columns: Columns, code: OwnCode): number {
    const { parent, self } = columns;
    const below = new Uint8Array(parent.length);
    let [own, all] = [0, 0];
    for (let i = 0; i < parent.length; i++) {
        below[i] = below[parent[i]] | Number(isOwnFrame(code, columns, i));
        own += below[i] * self[i];
        all += self[i];
    }
    return all > 0 ? own / all : 0;
}

// Where a frame stands: among those that are shown as they are, in a run from the root on, below a call of the program's, in the kernel.
enum Run { NONE, OUTER, CALL, KERNEL }

export function ownFirst(columns: Columns, code: OwnCode): Columns {
    const { parent, name, type, self, other } = columns;
    const merge = new Merge(name[0], type[0], Boolean(other));
    const target = new Int32Array(parent.length);
    const under = new Int32Array(parent.length); // of a run from the root on: what it hangs under
    const label = new Int32Array(parent.length);
    const run = new Uint8Array(parent.length);
    for (let i = 0; i < parent.length; i++) {
        const up = parent[i];
        if (i === 0) {
            run[i] = Run.NONE;
        } else if (code.keeps[type[i]] || isOwnFrame(code, columns, i)) {
            target[i] = merge.child(target[up], name[i], type[i]);
            run[i] = Run.NONE;
        } else if (run[up] === Run.NONE && isOwnFrame(code, columns, up)) {
            target[i] = merge.child(target[up], name[i], type[i]);
            run[i] = type[i] === code.kernel ? Run.KERNEL : Run.CALL;
        } else if (run[up] === Run.KERNEL || (run[up] === Run.CALL && type[i] !== code.kernel)) {
            target[i] = target[up];
            run[i] = run[up];
        } else if (type[i] === code.kernel) {
            target[i] = merge.child(target[up], code.labelOf(name[i], type[i]), code.folded);
            run[i] = Run.KERNEL;
        } else {
            const goesOn = run[up] === Run.OUTER;
            const own = code.labelOf(name[i], type[i]);
            under[i] = goesOn ? under[up] : target[up];
            label[i] = goesOn && own === code.jdk && code.isLibrary(label[up]) ? label[up] : own;
            target[i] = merge.child(under[i], label[i], code.folded);
            run[i] = Run.OUTER;
        }
        merge.add(target[i], self[i], other ? other[i] : 0);
    }
    return withoutEmpty(merge.columns());
}
