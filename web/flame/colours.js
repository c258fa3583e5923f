// Colours of frames, by package or by frame type.
//
// The nine colours are chosen so that people with any common colour blindness can tell them apart (the "light" scheme
// of Paul Tol, SRON/EPS/TN/09-002) and so that dark text on each has a contrast above 4.5. The largest groups get a
// colour of their own; the rest shares one grey.
import { packageOf, visibleName } from "./names.js";

const LIGHT = ["#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00", "#c9b6e4"];
const GREY = "#d4d4d4";

// What stays the same: a type has its colour in every profile.
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

// Colours of everything on the canvas that is not a group.
export const THEMES = {
    light: {
        background: "#ffffff", text: "#111111", quiet: "#e2e5ea", quietText: "#3a3f46",
        hit: "#7a1fa2", hitText: "#ffffff", outline: "#000000", hover: "#00000066",
    },
    dark: {
        background: "#16181c", text: "#111111", quiet: "#33373e", quietText: "#d7dae0",
        hit: "#e0b0ff", hitText: "#16181c", outline: "#ffffff", hover: "#ffffff99",
    },
};

// Frames on a dark page are a little darker, so that a full screen of them does not glare.
function forTheme(colour, theme) {
    if (theme === "light") {
        return colour;
    }
    const channel = (at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * 0.86);
    return "#" + [1, 3, 5].map((at) => channel(at).toString(16).padStart(2, "0")).join("");
}

// Groups frames. Returns {groupOf(frame), groups: [{label, colour, self}]}, largest first, "other" last.
export function groupFrames(profile, mode) {
    const label = mode === "type"
        ? (name, type) => profile.types[type]
        : (name, type) => packageOf(profile.strings[name], profile.types[type]);
    const all = sumGroups(profile, label);
    const ranked = [...all.values()].sort((a, b) => b.self - a.self || (a.label < b.label ? -1 : 1));
    const groups = mode === "type" ? typeColours(ranked) : packageColours(ranked);
    return { groups, groupOf: lookup(profile, all, label) };
}

// One entry per label, with the self weight of its frames.
function sumGroups(profile, label) {
    const { tree } = profile;
    const all = new Map();
    for (let i = 1; i < tree.count; i++) {
        const key = label(tree.name[i], tree.type[i]);
        let group = all.get(key);
        if (!group) {
            group = { label: visibleName(key), colour: GREY, self: 0, index: -1 };
            all.set(key, group);
        }
        group.self += tree.self[i];
    }
    return all;
}

function typeColours(ranked) {
    ranked.forEach((group, i) => {
        group.index = i;
        group.colour = TYPE_COLOUR.get(group.label) || GREY;
    });
    return ranked;
}

function packageColours(ranked) {
    const own = ranked.slice(0, LIGHT.length);
    own.forEach((group, i) => {
        group.index = i;
        group.colour = LIGHT[i];
    });
    const rest = ranked.slice(LIGHT.length);
    if (rest.length === 0) {
        return own;
    }
    rest.forEach((group) => { group.index = LIGHT.length; });
    const self = rest.reduce((sum, group) => sum + group.self, 0);
    return [...own, { label: "other (" + rest.length + " more)", colour: GREY, self, index: LIGHT.length }];
}

// The group of a name and type is looked up once and remembered.
function lookup(profile, all, label) {
    const known = new Int16Array(profile.strings.length * profile.types.length).fill(-1);
    return (tree, frame) => {
        const key = tree.name[frame] * profile.types.length + tree.type[frame];
        if (known[key] < 0) {
            const group = all.get(label(tree.name[frame], tree.type[frame]));
            known[key] = group ? group.index : 0;
        }
        return known[key];
    };
}

export function paint(groups, theme) {
    return groups.map((group) => forTheme(group.colour, theme));
}
