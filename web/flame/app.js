// Keeps what the user has chosen, works out what follows from it, and hands both to the parts of the page.
import { callersTree } from "./callers.js";
import { THEMES, groupFrames, paint } from "./colours.js";
import { matchFrames, matchNames, matchesBySize, placeBySize, compileQuery } from "./search.js";
import { sortMethods, sumMethods } from "./methods.js";
import { readAddress, writeAddress } from "./state.js";

// A frame found by search is shown at least this wide.
const LEAST_WIDTH_OF_FOUND = 24;

// Remembers the last result of a function of plain values.
function remember(work) {
    let key = null;
    let result;
    return (...given) => {
        if (key === null || given.some((value, i) => value !== key[i])) {
            result = work(...given);
            key = given;
        }
        return result;
    };
}

export class App {
    // show(app) is called after each change.
    constructor(profile, show) {
        this.profile = profile;
        this.show = show;
        this.darkSystem = matchMedia("(prefers-color-scheme: dark)");
        this.wideWindow = matchMedia("(min-width: 1100px)");
        this.callers = remember(() => callersTree(profile.tree, profile.strings, profile.types.length));
        this.methods = remember(() => sumMethods(profile.tree, profile.strings));
        this.sortedMethods = remember((sort) => sortMethods(this.methods(), sort, profile.strings));
        this.groups = remember((mode) => groupFrames(profile, mode));
        this.search = remember((query, regex, tree) => this.runSearch(query, regex, tree));
        this.ranked = remember((matches) => (matches ? matchesBySize(this.tree, matches) : []));
        this.adopt(readAddress(location.hash));
        window.addEventListener("hashchange", () => {
            this.adopt(readAddress(location.hash));
            this.show(this);
        });
        for (const media of [this.darkSystem, this.wideWindow]) {
            media.addEventListener("change", () => this.show(this));
        }
    }

    get tree() {
        return this.state.view === "callers" ? this.callers().tree : this.profile.tree;
    }

    get theme() {
        const { theme } = this.state;
        return theme === "auto" ? (this.darkSystem.matches ? "dark" : "light") : theme;
    }

    get tableShown() {
        const { table } = this.state;
        return table === "auto" ? this.wideWindow.matches : table === "shown";
    }

    // {error} | {names, found: of the tree in sight, weight: of the whole profile} | null
    get found() {
        return this.search(this.state.query, this.state.regex, this.tree);
    }

    get look() {
        const { groups, groupOf } = this.groups(this.state.colour);
        const found = this.found;
        const matches = found && found.found ? found.found : null;
        return { theme: THEMES[this.theme], colours: paint(groups, this.theme), groupOf, matches };
    }

    // Takes over a state; frames that the tree does not have are forgotten.
    adopt(state) {
        this.state = state;
        const { tree } = this;
        if (!tree || state.zoom >= tree.count || tree.total[state.zoom] === 0) {
            state.zoom = 0;
        }
        if (!tree || state.selected >= tree.count) {
            state.selected = -1;
        }
    }

    // Changes what is chosen. With `remembered` the back button leads to what was before.
    change(changes, remembered = false) {
        if (changes.view && changes.view !== this.state.view) {
            changes = { zoom: 0, selected: -1, ...changes };
        }
        this.adopt({ ...this.state, ...changes });
        const address = writeAddress(this.state);
        try {
            history[remembered && address !== (location.hash || "#") ? "pushState" : "replaceState"](null, "", address);
        } catch {
            // A page inside another one may not have an address of its own; the choice holds nevertheless.
        }
        this.show(this);
    }

    zoomTo(frame) {
        this.change({ zoom: frame, selected: frame }, true);
    }

    runSearch(query, regex, tree) {
        const compiled = compileQuery(query, regex);
        if (!compiled || compiled.error || !tree) {
            return compiled;
        }
        const names = matchNames(this.profile.strings, compiled);
        const whole = matchFrames(this.profile.tree, names);
        const found = tree === this.profile.tree ? whole : matchFrames(tree, names);
        return { names, found, weight: whole.weight };
    }

    // The place of the selected frame among the matches, from 1; 0 when it is none of them.
    get position() {
        const { found, tree } = this;
        return found && found.found ? placeBySize(tree, found.found, this.state.selected) : 0;
    }

    // Selects the next match (step 1) or the one before (step -1), and zooms out or in as far as needed to see it.
    nextMatch(step, width) {
        const found = this.found;
        if (!found || !found.found || found.found.frames === 0) {
            return;
        }
        const ranked = this.ranked(found.found);
        const at = this.position - 1;
        const next = at < 0 ? (step > 0 ? 0 : ranked.length - 1) : (at + step + ranked.length) % ranked.length;
        this.change({ selected: ranked[next], zoom: this.zoomToSee(ranked[next], width) });
    }

    // The present zoom if the frame is wide enough in it, else the frame nearest to the root in which it is.
    zoomToSee(frame, width) {
        const { tree, state } = this;
        const wideIn = (zoom) => (tree.total[frame] / tree.total[zoom]) * width >= LEAST_WIDTH_OF_FOUND;
        let zoom = frame;
        let present = false;
        for (let i = frame; i >= 0; i = tree.parent[i]) {
            zoom = wideIn(i) ? i : zoom;
            present = present || (i === state.zoom && wideIn(i));
        }
        return present ? state.zoom : zoom;
    }
}
