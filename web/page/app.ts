// Keeps the user's choices, computes what follows from them, and passes both to the parts of the page.
import { ThemeName } from "../draw/colours";
import { carry } from "../model/carry";
import { sameFrame } from "../model/coarse";
import { FOLDED_TYPE } from "../model/own";
import { PartReader } from "../model/parts";
import { Profile } from "../model/profile";
import { compileQuery, matchBeside, matchFrames, matchNames, placeBySize, Matches } from "../model/search";
import { Tree } from "../model/tree";
import { byId } from "./dom";
import { Kinds } from "./kinds";
import { Naming, namingsOf } from "./named";
import { Panels } from "./panels";
import { Scene, SceneMaker } from "./scene";
import { showEmpty } from "./show";
import { DEFAULTS, State, hasFrames, readAddress, writeAddress } from "./state";
import { remember } from "./remember";

// A frame found by search is shown at least this wide.
const LEAST_WIDTH_OF_FOUND = 24;

// Keeps the viewer's choices. In the self-contained page this is the part of the page's address after "#".
export interface Address {
    // Whether the page around the viewer lets the user choose a time. The viewer's own timeline is then shown on request only.
    readonly hasTime: boolean;
    read: () => string;
    write: (text: string, remembered: boolean) => void; // remembered: the back button returns to the address before
    follow: (work: (text: string) => void) => void; // calls work with each text that comes from elsewhere
}

const NONE: Naming[] = [];

// The pane of a graph. The upper one shows the callers of a sandwich.
export type PaneName = "main" | "upper";

export type Found = { error: string } | { names: Uint8Array; matches: Matches; weight: number };

export class App {
    state: State = { ...DEFAULTS };
    private readonly darkSystem = matchMedia("(prefers-color-scheme: dark)");
    private readonly wideWindow = matchMedia("(min-width: 1100px)");
    private readonly narrowWindow = matchMedia("(max-width: 480px)");
    private readonly tallWindow = matchMedia("(min-height: 760px) and (min-width: 760px)");
    private printing = false;
    panels: Panels | null = null; // set later, because the panels need the app
    private given: Naming[] = NONE; // findings of the recording of this page
    readonly readBeside: Promise<unknown>[] = []; // parts of the page that are read beside the first picture
    private readonly readers: ((part: PartReader) => void)[] = [];
    profile: Profile;
    scenes: SceneMaker;
    private readonly sceneMakers = new Map<Profile, SceneMaker>();
    private turn = 0;
    private search: (query: string, regex: boolean, whole: Tree, tree: Tree) => Found | null;
    private readonly place: typeof placeBySize;
    private readonly matchesIn: (tree: Tree, names: Uint8Array) => Matches;

    // parts: what the recording has besides samples. `show` is called after each change.
    constructor(profile: Profile, public kinds: Kinds, public parts: PartReader, private readonly address: Address,
        private readonly show: (app: App) => void) {
        this.profile = profile;
        this.scenes = this.open(profile);
        this.search = this.searching();
        this.place = remember(placeBySize);
        this.matchesIn = remember(matchFrames);
        this.adopt(readAddress(address.read()));
        address.follow((text) => void this.follow(readAddress(text)));
        for (const media of [this.darkSystem, this.wideWindow, this.narrowWindow, this.tallWindow]) {
            media.addEventListener("change", () => this.show(this));
        }
        for (const event of ["beforeprint", "afterprint"]) {
            addEventListener(event, () => this.print(event === "beforeprint"));
        }
    }

    start(): void {
        this.show(this);
    }

    // Draws the picture for paper, or again for the screen.
    private print(begins: boolean): void {
        this.printing = begins;
        this.show(this);
    }

    // Calls `read` with the parts of the recording: now, and when there is another recording.
    eachParts(read: (part: PartReader) => void): void {
        this.readers.push(read);
        read(this.parts);
    }

    // Shows other data, with the choices in the address as far as they fit.
    replace(profile: Profile, kinds: Kinds, parts: PartReader): void {
        this.turn++;
        this.closeMenu();
        this.kinds = kinds;
        if (parts !== this.parts) {
            this.parts = parts;
            this.readers.forEach((read) => read(parts));
        }
        this.sceneMakers.clear();
        this.open(profile);
        this.adopt(readAddress(this.address.read()));
        this.show(this);
    }

    private searching(): App["search"] {
        return remember((query, regex, whole, tree) => this.runSearch(query, regex, whole, tree));
    }

    // Opens a profile. Its numbers of names, frames and threads are different from those of other profiles.
    private open(profile: Profile): SceneMaker {
        const scenes = this.sceneMakers.get(profile) ?? new SceneMaker(profile);
        this.sceneMakers.set(profile, scenes);
        this.profile = profile;
        this.scenes = scenes;
        this.search = this.searching();
        return scenes;
    }

    // Reads the profile of a kind of sample. Returns null if it cannot be shown, or if another one was requested in the meantime.
    private async read(kind: string, isWhole = false): Promise<Profile | null> {
        const turn = ++this.turn;
        const profile = await this.kinds.read(kind, isWhole);
        return turn === this.turn ? profile : null;
    }

    // The numbers of frames and names in it are those of the data before.
    private closeMenu(): void {
        byId("menu").hidden = true;
    }

    // Applies an address.
    private async follow(state: State): Promise<void> {
        this.closeMenu();
        const profile = await this.read(state.kind, hasFrames(state));
        if (profile && profile !== this.profile) {
            this.open(profile);
        }
        if (profile) {
            this.adopt(state);
        }
        this.show(this);
    }

    // Shows another kind of sample. Choices stay, as far as this kind has the same methods, threads and times.
    async chooseKind(kind: string): Promise<void> {
        const profile = await this.read(kind);
        const { profile: before, state } = this;
        if (profile && profile !== before) {
            this.open(profile);
            this.adopt({
                ...state, ...carry(state, before, profile), kind, zoom: 0, selected: -1, upperZoom: 0, upperSelected: -1,
            });
            this.writeAddress(true);
        }
        this.show(this);
    }

    // Whether the profile is of the recording of this page, which halts, events and findings are about, and not of a file beside it.
    get isOfPage(): boolean {
        return !this.kinds.isAdded(this.state.kind);
    }

    // The visible trees, and what they were made from.
    get scene(): Scene {
        return this.scenes.scene(this.state);
    }

    get tree(): Tree {
        return this.scene.tree;
    }

    treeOf(pane: PaneName): Tree {
        return pane === "upper" && this.scene.upper ? this.scene.upper : this.tree;
    }

    zoomOf(pane: PaneName): number {
        return pane === "upper" ? this.state.upperZoom : this.state.zoom;
    }

    selectedOf(pane: PaneName): number {
        return pane === "upper" ? this.state.upperSelected : this.state.selected;
    }

    // The pane to whose selected frame actions apply.
    get activePane(): PaneName {
        return this.state.upperSelected >= 0 ? "upper" : "main";
    }

    // The name of the selected frame. -1 = no frame is selected, or the root of all stacks is, or a frame that stands for several names.
    get selectedName(): number {
        const tree = this.treeOf(this.activePane);
        const frame = this.selectedOf(this.activePane);
        const isNone = frame < 0 || (frame === 0 && tree.root < 0) || this.profile.types[tree.type[frame]] === FOLDED_TYPE;
        return isNone ? -1 : tree.name[frame];
    }

    get theme(): ThemeName {
        const { theme } = this.state;
        if (this.printing) {
            return "light";
        }
        return theme === "auto" ? (this.darkSystem.matches ? "dark" : "light") : theme;
    }

    get tableShown(): boolean {
        const { table } = this.state;
        return table === "auto" ? this.wideWindow.matches || !this.graphShown : table === "shown";
    }

    get graphShown(): boolean {
        const { graph, view, table } = this.state;
        const narrow = this.narrowWindow.matches && view !== "sandwich" && table !== "hidden";
        return graph === "auto" ? !narrow : graph === "shown" || table === "hidden";
    }

    get timelineShown(): boolean {
        const { timeline } = this.state;
        const hasRoom = this.tallWindow.matches && !this.address.hasTime;
        return this.profile.slices !== null && (timeline === "auto" ? hasRoom : timeline === "shown");
    }

    get colour(): "package" | "type" | "change" {
        const { colour } = this.state;
        return colour !== "auto" ? colour : this.profile.before ? "change" : "package";
    }

    get sort(): "self" | "total" | "name" | "change" {
        const { sort } = this.state;
        return sort !== "auto" ? sort : this.profile.before ? "change" : "self";
    }

    get found(): Found | null {
        return this.search(this.state.query, this.state.regex, this.scene.calls, this.tree);
    }

    // Returns the matches in the tree of a pane, or null if there is no search.
    matchesOf(pane: PaneName): Matches | null {
        const { found } = this;
        if (!found || "error" in found) {
            return null;
        }
        return pane === "main" ? found.matches : this.matchesIn(this.treeOf(pane), found.names);
    }

    // Applies a state without the choices that the profile does not have.
    private adopt(state: State): void {
        this.state = this.scenes.possible(state);
        if (hasFrames(state)) {
            this.scenes.makeExact(this.state); // numbers of frames are those of exact trees
        }
        const fit = (tree: Tree, zoom: number) => (zoom < tree.count && tree.total[zoom] > 0 ? zoom : 0);
        const { tree, upper } = this.scene;
        this.state.zoom = fit(tree, this.state.zoom);
        this.state.selected = this.state.selected < tree.count ? this.state.selected : -1;
        this.state.upperZoom = upper ? fit(upper, this.state.upperZoom) : 0;
        this.state.upperSelected = upper && this.state.upperSelected < upper.count ? this.state.upperSelected : -1;
    }

    // Puts the exact picture in the place of a coarse one, and then calls `work`: at once, or when the rest of the profile is read. If the
    // user goes to another address or kind of sample meanwhile, it is not called.
    exactly(work: () => void): void {
        if (this.profile.rest) {
            const { turn } = this;
            void this.complete().then((isRead) => isRead && turn === this.turn && this.exactly(work));
            return;
        }
        if (this.scene.coarse) {
            this.scenes.makeExact(this.state);
            this.show(this);
        }
        work();
    }

    // Reads the rest of a profile of which only the coarse copy is read. Returns whether it is the profile that is shown now.
    async complete(): Promise<boolean> {
        const { profile: first, state: { kind } } = this;
        const whole = await this.kinds.read(kind, true);
        if (this.profile === first && whole !== first) {
            if (!whole) {
                showEmpty("This profile cannot be shown", this.kinds.find(kind).problem + ".");
                return false;
            }
            this.open(whole);
            this.adopt(this.state);
            this.show(this);
        }
        return this.profile === whole;
    }

    // Calls `work` with the number of a frame of the picture in the exact tree, which is then shown.
    private withExact(pane: PaneName, frame: number, work: (exact: number) => void): void {
        const seen = this.treeOf(pane);
        this.exactly(() => {
            const tree = this.treeOf(pane);
            work(tree === seen ? frame : sameFrame(seen, frame, tree));
        });
    }

    // Changes choices. If this makes another tree, its frames have other numbers, so zoom and selection are reset. If `remembered` is set,
    // the back button returns to the previous state.
    change(changes: Partial<State>, remembered = false): void {
        const before = this.scene;
        const next = { ...this.state, ...changes };
        if (this.scenes.scene(this.scenes.possible(next)) !== before) {
            Object.assign(next, { zoom: 0, selected: -1, upperZoom: 0, upperSelected: -1 }, changes);
        }
        this.adopt(next);
        this.writeAddress(remembered);
        this.show(this);
    }

    // Shows the evidence of a finding: the stacks of that kind with the first of these names that the kind has, or the halts.
    async showEvidence(kind: string, names: string[]): Promise<void> {
        if (kind === "halt") {
            this.change({ panel: "halts" }, true);
            return;
        }
        await this.chooseKind(this.kinds.wordOf(this.kinds.find(kind)));
        const numbers = names.map((name) => this.profile.strings.indexOf(name)).filter((name) => name >= 0);
        this.change({ panel: "none", view: "calls", method: -1, focus: numbers.slice(0, 1), drop: [], hide: [] }, true);
    }

    // Shows what a thread did, in samples of that kind.
    async showThread(kind: string, name: string): Promise<void> {
        await this.chooseKind(this.kinds.wordOf(this.kinds.find(kind)));
        const thread = this.profile.slices ? this.profile.slices.threads.indexOf(name) : -1;
        this.change({ panel: "none", threads: thread >= 0 ? [thread] : [] }, true);
    }

    // Marks the frames that these findings name, from the next picture on.
    mark(namings: Naming[]): void {
        this.given = namings;
    }

    get namings(): Naming[] {
        return this.isOfPage ? this.given : NONE;
    }

    namingsOf(pane: PaneName, frame: number): Naming[] {
        const tree = this.treeOf(pane);
        return frame < 0 || (frame === 0 && tree.root < 0) ? [] : namingsOf(this.profile, this.namings, tree.name[frame]);
    }

    // Opens the finding that names a frame. If there are several, the frame is selected, and the line under the graph lists them.
    openNaming(pane: PaneName, frame: number): void {
        const namings = this.namingsOf(pane, frame);
        if (namings.length === 1) {
            namings[0].open();
        } else {
            this.select(pane, frame);
        }
    }

    private writeAddress(remembered: boolean): void {
        this.address.write(writeAddress(this.state), remembered);
    }

    select(pane: PaneName, of: number): void {
        this.withExact(pane, of, (frame) =>
            this.change(pane === "upper" ? { upperSelected: frame, selected: -1 } : { selected: frame, upperSelected: -1 }));
    }

    zoomTo(pane: PaneName, of: number, remembered = true): void {
        this.withExact(pane, of, (frame) =>
            this.change(pane === "upper" ? { upperZoom: frame, upperSelected: frame, selected: -1 }
                : { zoom: frame, selected: frame, upperSelected: -1 }, remembered));
    }

    // Searches. `whole`: the tree of calls, in which the weight of the matches is computed. `tree`: the visible tree.
    private runSearch(query: string, regex: boolean, whole: Tree, tree: Tree): Found | null {
        const compiled = compileQuery(query, regex);
        if (!compiled || "error" in compiled) {
            return compiled;
        }
        const names = matchNames(this.profile.strings, compiled);
        const matches = matchFrames(tree, names);
        return { names, matches, weight: tree === whole ? matches.weight : matchFrames(whole, names).weight };
    }

    // The place of the selected frame among the matches, from 1. 0 = it is not a match.
    get position(): number {
        const matches = this.matchesOf("main");
        return matches ? this.place(this.tree, matches, this.state.selected) : 0;
    }

    // Selects the next match (step 1) or the previous one (step -1), and zooms out or in as far as needed to show it.
    nextMatch(step: number, width: number): void {
        this.exactly(() => {
            const matches = this.matchesOf("main");
            if (matches && matches.frames > 0) {
                const next = matchBeside(this.tree, matches, this.state.selected, step);
                this.change({ selected: next, upperSelected: -1, zoom: this.zoomToSee(next, width) });
            }
        });
    }

    // Returns the present zoom if the frame is wide enough in it. Otherwise returns the frame nearest to the root in which it is.
    private zoomToSee(frame: number, width: number): number {
        const { tree, state } = this;
        const wideIn = (zoom: number) => (tree.total[frame] / tree.total[zoom]) * width >= LEAST_WIDTH_OF_FOUND;
        let zoom = frame;
        let present = false;
        for (let i = frame; i >= 0; i = tree.parent[i]) {
            zoom = wideIn(i) ? i : zoom;
            present = present || (i === state.zoom && wideIn(i));
        }
        return present ? state.zoom : zoom;
    }
}
