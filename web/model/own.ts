// Distinguishes the program's own code from the code around it: libraries, the JDK, native code, the JVM, the kernel.
//
// In the tree "own first", every run of frames that are not the program's becomes one frame. From the root down to the program's first
// frame, the run is named after the library, or else after the JDK ("… org.apache.catalina"). Below a frame of the program, the run is
// named after the method that the program called, and contains everything that this method called. Code of the kernel is a separate
// frame.
import { movedPlaces, withoutEmpty } from "./filters";
import { Merge } from "./merge";
import { HOLDER_RUNS, kindOfCode } from "./names";
import { Columns } from "./tree";

// Owners of a name; 0 = unknown.
const PROGRAM = 1;
const JDK = 2;
export const FIRST_LIBRARY = 3;

export interface Owners {
    labels: string[]; // by owner
    of: Uint16Array; // by name
}

// Properties of a profile's frames, for all functions below.
export interface OwnCode {
    isOwn: Uint8Array; // by name, for Java frames
    isJava: Uint8Array; // by type
    keeps: Uint8Array; // by type: frames that are never folded, because they show what the picture lacks, or whose frames these are
    kernel: number; // number of the type, or -1
    folded: number; // number of the type of frames that stand for runs
    jdk: number; // number of the name of a run of JDK frames
    isLibrary: (run: number) => boolean; // whether the run with this name has frames of a library
    labelOf: (name: number, type: number) => number; // returns the name of a run of such frames
}

export const FOLDED_TYPE = "Folded";

// Whether frames of this kind show what the picture lacks, or whose frames these are, and not a place in the program.
export function isNoPlace(kind: string): boolean {
    return ["threads", "no stack", "missing frames", "classes", HOLDER_RUNS].includes(kind);
}

// Finds the own code. `own`: beginnings of names, with blanks or commas between them; "" = all code that is neither the JDK's nor a known
// library's. addName returns the number of a name.
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

// Returns the share of all weight that is in the program's own frames and below them.
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

// The kind of run to which a frame belongs: none (it is shown as it is), a run that begins at the root, a run below a call of the program,
// or the kernel.
enum Run { NONE, OUTER, CALL, KERNEL }

export function ownFirst(columns: Columns, code: OwnCode): Columns {
    const { parent, name, type, self, other } = columns;
    const merge = new Merge(name[0], type[0], Boolean(other));
    const target = new Int32Array(parent.length);
    const under = new Int32Array(parent.length); // for a run that begins at the root: the frame under which it hangs
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
    return withoutEmpty({ ...merge.columns(), place: movedPlaces(columns, target) });
}
