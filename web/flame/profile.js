// Reads the data element of the page and checks it: from here on figures and indices can be trusted, but no name.
import { INDEPENDENT } from "./figures.js";
import { buildTree } from "./tree.js";

// What the embedder replaces with the profile begins with this.
const NO_DATA = "/*";

export class DataError extends Error {}

function demand(condition, text) {
    if (!condition) {
        throw new DataError(text);
    }
}

// Returns {title, unit, samples, effectiveSamples, interval, books, strings, types, tree, effects, notes}, or null when the page
// holds no profile. Throws DataError with a text for the user.
export function readProfile(text) {
    if (text.trim() === "" || text.startsWith(NO_DATA)) {
        return null;
    }
    const data = parse(text);
    const { strings, canonical } = readStrings(data.strings);
    const types = readTypes(data.types);
    const columns = readNodes(data.nodes, canonical, types.length);
    const tree = columns.name.length > 0 ? buildTree(columns, strings) : null;
    return {
        title: typeof data.title === "string" && data.title !== "" ? data.title : "Profile",
        unit: typeof data.unit === "string" ? data.unit : "ns",
        samples: count(data.samples),
        effectiveSamples: count(data.effective_samples),
        interval: count(data.interval_ns),
        books: typeof data.books === "object" && data.books !== null ? data.books : null,
        strings,
        types,
        tree,
        effects: readEffects(data.methods, canonical),
        notes: notesOn(data, tree, columns.statedTotal),
    };
}

function parse(text) {
    let data;
    try {
        data = JSON.parse(text);
    } catch (error) {
        throw new DataError("the profile inside this page is not valid JSON (" + error.message + ")");
    }
    demand(typeof data === "object" && data !== null, "the profile inside this page is not an object");
    return data;
}

function count(value) {
    return Number.isFinite(value) && value > 0 ? value : 0;
}

// Equal strings get one number, so that a method is one method whatever the writer did.
function readStrings(list) {
    demand(Array.isArray(list) && list.every((s) => typeof s === "string"), "strings: not a list of texts");
    const seen = new Map();
    const canonical = new Int32Array(list.length);
    list.forEach((s, i) => {
        if (!seen.has(s)) {
            seen.set(s, i);
        }
        canonical[i] = seen.get(s);
    });
    return { strings: list, canonical };
}

function readTypes(list) {
    demand(Array.isArray(list) && list.length > 0 && list.length <= 256, "types: not a list of 1 to 256 texts");
    demand(list.every((s) => typeof s === "string"), "types: not a list of texts");
    return list;
}

function readNodes(nodes, canonical, types) {
    demand(typeof nodes === "object" && nodes !== null, "nodes: missing");
    const { parent, name, type, self, total, self_effect: selfEffect, total_effect: totalEffect } = nodes;
    const columns = { parent, name, type, self, total, self_effect: selfEffect, total_effect: totalEffect };
    for (const [key, list] of Object.entries(columns)) {
        demand(Array.isArray(list), "nodes." + key + ": missing");
        const counts = list.length + " values for " + parent.length + " nodes";
        demand(list.length === parent.length, "nodes." + key + ": " + counts);
    }
    const within = (value, limit) => Number.isInteger(value) && value >= 0 && value < limit;
    for (let i = 0; i < parent.length; i++) {
        demand(i === 0 ? parent[0] === -1 : within(parent[i], i), "nodes.parent[" + i + "]: not an earlier node");
        demand(within(name[i], canonical.length), "nodes.name[" + i + "]: no such string");
        demand(within(type[i], types), "nodes.type[" + i + "]: no such type");
        demand(Number.isFinite(self[i]) && self[i] >= 0, "nodes.self[" + i + "]: not a weight");
        demand(isEffect(selfEffect[i]) && isEffect(totalEffect[i]), "nodes.self_effect[" + i + "]: not thousandths, or its total's");
    }
    return {
        parent: Int32Array.from(parent),
        name: Int32Array.from(name, (s) => canonical[s]),
        type: Uint8Array.from(type),
        self: Float64Array.from(self),
        selfEffect: Uint16Array.from(selfEffect),
        totalEffect: Uint16Array.from(totalEffect),
        statedTotal: parent.length > 0 ? total[0] : 0,
    };
}

// How sure a figure is beside one of as many independent samples, in thousandths: its variance.
function isEffect(value) {
    return Number.isInteger(value) && value > 0 && value <= INDEPENDENT;
}

// By number of the method's name: the effects of its figures over all places where it is called.
function readEffects(methods, canonical) {
    demand(Array.isArray(methods), "methods: missing");
    const effects = { self: new Uint16Array(canonical.length), total: new Uint16Array(canonical.length) };
    effects.self.fill(INDEPENDENT);
    effects.total.fill(INDEPENDENT);
    methods.forEach((method, i) => {
        const good = Array.isArray(method) && Number.isInteger(method[0]) && method[0] >= 0 && method[0] < canonical.length;
        demand(good && isEffect(method[1]) && isEffect(method[2]), "methods[" + i + "]: not a name and two effects");
        [effects.self[canonical[method[0]]], effects.total[canonical[method[0]]]] = method.slice(1);
    });
    return effects;
}

// The page shows what the self weights add up to. If the file states something else, its reader should know.
function notesOn(data, tree, statedTotal) {
    const sum = tree ? tree.total[0] : 0;
    const differs = (stated) => Number.isFinite(stated) && Math.abs(stated - sum) > sum * 1e-9;
    return differs(statedTotal) || differs(data.total)
        ? ["The file states a total that its frames do not add up to. This page shows the sum of the frames."]
        : [];
}
