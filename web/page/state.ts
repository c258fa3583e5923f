// The user's choices, and the part of the address after "#" that has the same content. So a link to it, a reload and the back button all
// lead to the same picture.

export interface State {
    kind: string; // kind of sample; "" = the first kind of the page
    panel: "none" | "findings" | "halts" | "locks" | "live" | "endpoints" | "traces" | "why"; // the panel that is open
    by: "cpu" | "wall" | "alloc" | "lock"; // the order of the endpoints
    order: "size" | "time"; // of the frames that a frame calls; time: model/order.ts
    view: "calls" | "callers" | "sandwich"; // callers: merged from the leaves; sandwich: of `method`
    method: number; // number of a name, or -1
    group: "none" | "threads" | "auto"; // threads: one frame per thread at the root; auto: as the file says
    flip: boolean; // the root is at the bottom
    zoom: number; // the frame that fills the width
    selected: number; // a frame, or -1
    upperZoom: number; // the same for the callers of a sandwich
    upperSelected: number;
    query: string;
    regex: boolean;
    focus: number[]; // numbers of names; see model/filters.ts
    drop: number[];
    hide: number[];
    recursion: boolean;
    chains: boolean;
    fold: "auto" | "yes" | "no"; // the program's own code first (model/own.ts); auto: yes if much of the weight is in own code
    own: string; // beginnings of names; "" = as guessed
    source: string; // template of the addresses of sources (model/source.ts); "" = none
    from: number; // the first bucket of time
    to: number; // -1 = to the end
    threads: number[]; // empty = all
    axis: number[]; // the buckets that the axis shows: the first, and the one after the last; empty = all
    pools: number[]; // the pools whose threads have lanes, by their first threads
    unsure: boolean; // for a comparison: also methods whose change may be chance
    width: "after" | "before"; // for a comparison: which profile's time is the width
    colour: "auto" | "package" | "type" | "change"; // auto: by package, or by change in a comparison
    timeline: "auto" | "shown" | "hidden"; // auto: shown if there is room
    table: "auto" | "shown" | "hidden";
    graph: "auto" | "shown" | "hidden"; // auto: hidden in a very narrow window, where the table comes first
    sort: "auto" | "self" | "total" | "name" | "change"; // auto: by self, or by change in a comparison
    theme: "auto" | "light" | "dark"; // auto: as the system says
}

export const DEFAULTS: Readonly<State> = Object.freeze({
    kind: "", panel: "none", by: "cpu", order: "size", view: "calls", method: -1, group: "auto", flip: false,
    zoom: 0, selected: -1, upperZoom: 0, upperSelected: -1,
    query: "", regex: false,
    focus: [], drop: [], hide: [], recursion: false, chains: false,
    fold: "auto", own: "", source: "",
    from: 0, to: -1, threads: [], axis: [], pools: [], unsure: false,
    width: "after", colour: "auto", timeline: "auto", table: "auto", graph: "auto", sort: "auto", theme: "auto",
});

const CHOICES: Partial<Record<keyof State, string[]>> = {
    panel: ["none", "findings", "halts", "locks", "live", "endpoints", "traces", "why"],
    by: ["cpu", "wall", "alloc", "lock"],
    order: ["size", "time"],
    view: ["calls", "callers", "sandwich"],
    group: ["auto", "none", "threads"],
    fold: ["auto", "yes", "no"],
    width: ["after", "before"],
    colour: ["auto", "package", "type", "change"],
    timeline: ["auto", "shown", "hidden"],
    table: ["auto", "shown", "hidden"],
    graph: ["auto", "shown", "hidden"],
    sort: ["auto", "self", "total", "name", "change"],
    theme: ["auto", "light", "dark"],
};

function parse(key: keyof State, text: string): State[keyof State] {
    const initial = DEFAULTS[key];
    switch (typeof initial) {
        case "boolean": return text === "1";
        case "number": return /^\d{1,9}$/.test(text) ? Number(text) : initial;
        case "object": return /^\d{1,9}(\.\d{1,9})*$/.test(text) ? text.split(".").map(Number) : initial;
        default: return CHOICES[key]?.includes(text) ?? true ? text : initial;
    }
}

// Whether choices are numbers of frames. These are valid in exact trees only.
export function hasFrames({ zoom, selected, upperZoom, upperSelected }: State): boolean {
    return zoom > 0 || selected >= 0 || upperZoom > 0 || upperSelected >= 0;
}

// Reads an address. Members that are missing or not valid have their defaults. Nothing is checked against a profile.
export function readAddress(hash: string): State {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const state: Record<string, unknown> = { ...DEFAULTS };
    for (const key of Object.keys(DEFAULTS) as (keyof State)[]) {
        const text = given.get(key);
        if (text !== null) {
            state[key] = parse(key, text);
        }
    }
    return state as unknown as State;
}

// Returns the address, for example "#view=callers&zoom=12", or "#" if everything has its default.
export function writeAddress(state: State): string {
    const given = new URLSearchParams();
    for (const key of Object.keys(DEFAULTS) as (keyof State)[]) {
        const value = state[key];
        const text = value === true ? "1" : Array.isArray(value) ? value.join(".") : String(value);
        if (text !== (Array.isArray(DEFAULTS[key]) ? "" : String(DEFAULTS[key]))) {
            given.set(key, text);
        }
    }
    return "#" + given.toString();
}
