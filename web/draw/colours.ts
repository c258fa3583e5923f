// Chooses the colors of frames, by package or by frame type.
//
// The nine hues are chosen so that people with any common color blindness can distinguish them (the "light" scheme of Paul Tol,
// SRON/EPS/TN/09-002), and so that dark text on each has a contrast above 4.5. Four are those of code that is not Java. The others are
// given to packages by their names alone, so a package has the same color in every profile: its first three parts decide the hue, all that
// is shown of it the shade.
import { kindOfCode, packageOf, visibleName } from "../model/names";
import { Tree } from "../model/tree";

export type ColourMode = "package" | "type";
export type ThemeName = "light" | "dark";

export interface Group {
    label: string;
    colour: string;
    self: number;
    widest: number; // the largest total of one of its frames
    index: number;
}

export interface Groups {
    groups: Group[]; // the largest first
    groupOf: (tree: Tree, frame: number) => number;
}

// The colors of everything on the canvas that is not a group.
export interface Theme {
    background: string;
    text: string;
    quiet: string;
    quietText: string;
    hit: string;
    hitText: string;
    outline: string;
    hover: string;
}

const KIND_COLOUR = new Map([
    ["kernel", "#ee8866"], ["native code", "#77aadd"], ["JVM stubs", "#c9b6e4"], ["work of the JVM", "#aaaa00"],
]);
const HUES = ["#44bb99", "#eedd88", "#99ddff", "#bbcc33", "#ffaabb"];
const PALER = [0, 0.3, 0.6]; // the shades of a hue: how much of it is white
const GREY = "#d4d4d4";
const GREY_KINDS = new Set(["folded frames", "missing frames", "no stack", "threads"]);

// These colors are fixed: a type has the same color in every profile.
const TYPE_COLOUR = new Map([
    ["Interpreted", "#eedd88"],
    ["C1 compiled", "#bbcc33"],
    ["JIT compiled", "#44bb99"],
    ["Inlined", "#99ddff"],
    ["Native", "#77aadd"],
    ["Stub", "#c9b6e4"],
    ["Kernel", "#ee8866"],
    ["Failed", "#ffaabb"],
    ["Pseudo", "#aaaa00"],
    ["Java", "#b3cde8"],
    ["C1 compiled (approximate)", "#dbe68c"],
    ["JIT compiled (approximate)", "#a3dccb"],
    ["Inlined (approximate)", "#cceeff"],
]);

export const THEMES: Record<ThemeName, Theme> = {
    light: {
        background: "#ffffff", text: "#111111", quiet: "#e2e5ea", quietText: "#3a3f46",
        hit: "#7a1fa2", hitText: "#ffffff", outline: "#000000", hover: "#00000066",
    },
    dark: {
        background: "#16181c", text: "#111111", quiet: "#33373e", quietText: "#d7dae0",
        hit: "#e0b0ff", hitText: "#16181c", outline: "#ffffff", hover: "#ffffff99",
    },
};

// Darkens a color a little for the dark theme, so that a screen full of frames does not glare.
function forTheme(colour: string, theme: ThemeName): string {
    if (theme === "light") {
        return colour;
    }
    const channel = (at: number) => Math.round(parseInt(colour.slice(at, at + 2), 16) * 0.86);
    return "#" + [1, 3, 5].map((at) => channel(at).toString(16).padStart(2, "0")).join("");
}

// The texts to which the numbers in frames refer.
export interface Vocabulary {
    strings: string[];
    types: string[];
}

// How many parts of a package's name make a group: three, or more if one group would have most of Java's time.
const LEAST_PARTS = 3;
const MOST_PARTS = 6;
const TOO_LARGE = 0.5;

function partsOfPackages(tree: Tree, { strings, types }: Vocabulary): number {
    const isJava = types.map((type) => kindOfCode(type) === null);
    const self = new Float64Array(strings.length);
    let all = 0;
    for (let i = 1; i < tree.count; i++) {
        if (tree.self[i] > 0 && isJava[tree.type[i]]) {
            self[tree.name[i]] += tree.self[i];
            all += tree.self[i];
        }
    }
    for (let parts = LEAST_PARTS; parts < MOST_PARTS; parts++) {
        const sums = new Map<string, number>();
        self.forEach((weight, name) => {
            if (weight > 0) {
                const text = packageOf(strings[name], parts);
                sums.set(text, (sums.get(text) ?? 0) + weight);
            }
        });
        if (Math.max(0, ...sums.values()) <= TOO_LARGE * all) {
            return parts;
        }
    }
    return MOST_PARTS;
}

// Groups the frames of a tree. Frames of kinds that the tree does not have belong to the group after the last, which has no label.
export function groupFrames(tree: Tree, { strings, types }: Vocabulary, mode: ColourMode): Groups {
    const packages: string[] = [];
    const parts = mode === "package" ? partsOfPackages(tree, { strings, types }) : LEAST_PARTS;
    const label = mode === "type" ? (_: number, type: number) => types[type]
        : (name: number, type: number) => kindOfCode(types[type]) ?? (packages[name] ??= packageOf(strings[name], parts));
    const places = new Map<string, number>();
    const sums: number[] = [];
    const widest: number[] = []; // of groups without self time, as those of callers of allocations
    // By name and type: the place of the label, from 1. 0 = not looked up yet.
    const known = new Int32Array(strings.length * types.length);
    const placeOf = ({ name, type }: Tree, frame: number): number => {
        const kind = name[frame] * types.length + type[frame];
        if (known[kind] === 0) {
            const text = label(name[frame], type[frame]);
            known[kind] = places.get(text) ?? places.size + 1;
            places.set(text, known[kind]);
        }
        return known[kind] - 1;
    };
    for (let i = 1; i < tree.count; i++) {
        const place = placeOf(tree, i);
        sums[place] = (sums[place] ?? 0) + tree.self[i];
        widest[place] = Math.max(widest[place] ?? 0, tree.total[i]);
    }
    const all: Group[] = [...places.keys()].map((text, i) =>
        ({ label: visibleName(text), colour: GREY, self: sums[i], widest: widest[i], index: -1 }));
    const ranked = all.slice().sort((a, b) => b.self - a.self || b.widest - a.widest || (a.label < b.label ? -1 : 1));
    const groups = mode === "type" ? typeColours(ranked) : packageColours(ranked);
    const indices = all.map(({ index }) => index);
    return { groups, groupOf: (which, frame) => indices[placeOf(which, frame)] ?? groups.length };
}

// Returns the self weight of each group in a tree.
export function sumGroups(tree: Tree, { groups, groupOf }: Groups): Float64Array {
    const sums = new Float64Array(groups.length + 1);
    for (let i = tree.root < 0 ? 1 : 0; i < tree.count; i++) {
        if (tree.self[i] > 0) {
            sums[groupOf(tree, i)] += tree.self[i];
        }
    }
    return sums;
}

function typeColours(ranked: Group[]): Group[] {
    ranked.forEach((group, i) => {
        group.index = i;
        group.colour = TYPE_COLOUR.get(group.label) ?? GREY;
    });
    return ranked;
}

// A number from the characters of a text (FNV-1a).
function hash(text: string): number {
    let value = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) {
        value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    }
    return (value ^ value >>> 15) >>> 0;
}

function packageColour(label: string): string {
    const hue = HUES[hash(label.split(".").slice(0, LEAST_PARTS).join(".")) % HUES.length];
    const white = PALER[hash(label + "/") % PALER.length];
    const channel = (at: number) => Math.round(parseInt(hue.slice(at, at + 2), 16) * (1 - white) + 255 * white);
    return "#" + [1, 3, 5].map((at) => channel(at).toString(16).padStart(2, "0")).join("");
}

function packageColours(ranked: Group[]): Group[] {
    ranked.forEach((group, i) => {
        group.index = i;
        group.colour = KIND_COLOUR.get(group.label) ?? (GREY_KINDS.has(group.label) ? GREY : packageColour(group.label));
    });
    return ranked;
}

export function paint(groups: Group[], theme: ThemeName): string[] {
    return [...groups.map((group) => group.colour), GREY].map((colour) => forTheme(colour, theme));
}

// Colors of changes: from much less (blue) over no change to much more (red). Dark text is readable on each.
const CHANGES = ["#4f94d4", "#7fb3e3", "#b0d2f0", "#e2e2e2", "#f6c4b8", "#f0957f", "#e8705a"];
const NO_CHANGE = 3;

export const CHANGE_LABELS = ["much less", "less", "a little less", "no sure change", "a little more", "more", "much more"];

// Returns the step for a change. `part`: the change as a part of the largest one.
export function changeStep(part: number, sure: boolean): number {
    if (!sure || part === 0) {
        return NO_CHANGE;
    }
    const size = Math.abs(part) > 0.5 ? 3 : Math.abs(part) > 0.1 ? 2 : 1;
    return NO_CHANGE + Math.sign(part) * size;
}

export function paintChanges(theme: ThemeName): string[] {
    return CHANGES.map((colour) => forTheme(colour, theme));
}
