// What the user has chosen, and the part of the address after "#" that says the same. A link to it, a reload and the
// back button all lead to the same picture.

export const DEFAULTS = Object.freeze({
    view: "calls",       // or "callers": merged from the leaves
    flip: false,         // root at the bottom
    zoom: 0,             // frame that fills the width
    selected: -1,        // frame, or -1
    query: "",
    regex: false,
    colour: "package",   // or "type"
    table: "auto",       // "shown", "hidden"; auto: shown where there is room
    sort: "self",        // or "total": order of the table
    theme: "auto",       // "light", "dark"; auto: as the system says
});

const CHOICES = {
    view: ["calls", "callers"],
    colour: ["package", "type"],
    table: ["auto", "shown", "hidden"],
    sort: ["self", "total"],
    theme: ["auto", "light", "dark"],
};

// Reads an address; whatever is missing or makes no sense is at its default. Frames are not checked against a tree.
export function readAddress(hash) {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const state = { ...DEFAULTS };
    for (const key of Object.keys(DEFAULTS)) {
        const text = given.get(key);
        if (text === null) {
            continue;
        }
        if (typeof DEFAULTS[key] === "boolean") {
            state[key] = text === "1";
        } else if (typeof DEFAULTS[key] === "number") {
            state[key] = /^\d{1,9}$/.test(text) ? Number(text) : DEFAULTS[key];
        } else if (!CHOICES[key] || CHOICES[key].includes(text)) {
            state[key] = text;
        }
    }
    return state;
}

// "#view=callers&zoom=12", or "#" when all is at its default.
export function writeAddress(state) {
    const given = new URLSearchParams();
    for (const key of Object.keys(DEFAULTS)) {
        if (state[key] !== DEFAULTS[key]) {
            given.set(key, state[key] === true ? "1" : String(state[key]));
        }
    }
    return "#" + given.toString();
}
