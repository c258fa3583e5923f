// Makes the scene of a state: the visible trees, and the wholes of which their figures are shares. Each step is remembered, so that a
// change repeats only the steps that follow from it. With very many frames, a scene is first made of a coarse copy of the profile.
import { callersTree } from "../model/callers";
import { foldChains } from "../model/chains";
import { coarseOf } from "../model/coarse";
import { Filters, Kinds, bare, filterColumns, filtersNothing, withoutEmpty } from "../model/filters";
import { Method, sumMethods } from "../model/methods";
import { orderByTime } from "../model/order";
import { OwnCode, ownCode, ownFirst, ownShare } from "../model/own";
import { Profile } from "../model/profile";
import { Sandwich, sandwich } from "../model/sandwich";
import { Selection, Slices, selectColumns, selectsAll, threadColumns } from "../model/slices";
import { Columns, Tree, buildTree } from "../model/tree";
import { remember } from "./remember";
import { DEFAULTS, State } from "./state";

export interface Scene {
    tree: Tree; // of the main pane
    upper: Tree | null; // the callers of a sandwich
    calls: Tree; // all visible stacks, from their roots
    cut: number; // the share of the total below which callers were not followed
    whole: boolean; // nothing is left out or merged, so the facts about single methods hold
    all: number; // weight of the visible stacks
    effectiveSamples: number; // number of effective samples in these
    otherAll: number; // for a comparison: the same of the other profile
    otherEffective: number;
    coarse: boolean; // it is of a coarse copy; the exact one is yet to be made
}

const THREAD_TYPE = "Thread";
// A profile opens with the program's own code first if at least this share of its weight is in own code.
const LEAST_OWN = 0.1;
// A coarse picture has callers down to this share of the time.
const COARSE_SHARE = 1e-4;

const isWindow = ([from, to, ...more]: number[], buckets: number): boolean => more.length === 0 && from < to && to <= buckets;

export class SceneMaker {
    readonly methodsOf: (tree: Tree) => Method[];
    private readonly kinds: Kinds;
    private readonly threadNames: { nameOf: Int32Array; type: number };
    private readonly numbers: Map<string, number>; // numbers of the strings
    readonly ownCode: (own: string) => OwnCode | null;
    private readonly ownTree: (columns: Columns, own: string) => Tree;
    private readonly isMuch: (own: string) => boolean;
    private readonly baseTree: () => Tree;
    private readonly turned: () => Columns;
    private readonly selected: (from: number, to: number, threads: string, byThread: boolean) => Columns;
    private readonly filtered: (columns: Columns, focus: string, drop: string, hide: string, recursion: boolean) => Columns;
    private readonly treeOf: (columns: Columns) => Tree;
    private readonly timedTree: (from: number, to: number, ...choices: [threads: string, focus: string, drop: string, hide: string,
        recursion: boolean, own: string | null]) => Tree;
    private readonly callers: (tree: Tree) => ReturnType<typeof callersTree>;
    private readonly sandwich: (tree: Tree, method: number) => Sandwich;
    private readonly folded: (tree: Tree) => Tree;
    private readonly foldedUpper: (tree: Tree) => Tree;
    private readonly coarse: () => SceneMaker | null;
    private ready = ""; // what the exact scene was made for
    private readonly made: (...given: [Tree, Tree | null, Tree, number, boolean]) => Scene;

    constructor(private readonly profile: Profile, private readonly isCoarse = profile.rest !== null) {
        const { strings, types, columns } = profile;
        this.numbers = new Map(strings.map((name, i) => [name, i]));
        this.threadNames = this.nameThreads();
        this.ownCode = remember((own) => profile.owners
            && ownCode(strings, types, profile.owners, own, (name) => this.addName(name)));
        this.ownCode("");
        this.lengthenEffects();
        this.kinds = { strings: strings.length, types: types.length };
        this.isMuch = remember((own) => {
            const code = this.ownCode(own);
            return code !== null && ownShare(columns, code) >= LEAST_OWN;
        });
        this.ownTree = remember((made, own) => buildTree(ownFirst(made, this.ownCode(own) as OwnCode), strings));
        const methods = (tree: Tree) => (tree.selfEffect !== null && profile.sums) || sumMethods(tree, strings);
        const [ofBase, ofTree] = [remember(methods), remember(methods)]; // the whole profile comes back often
        this.methodsOf = (tree) => (tree === this.base ? ofBase(tree) : ofTree(tree));
        this.coarse = remember(() => {
            const copy = isCoarse ? null : coarseOf(profile);
            return copy && new SceneMaker(copy, true);
        });
        this.turned = remember(() => ({ ...bare(columns), self: columns.other as Float64Array, other: columns.self }));
        this.baseTree = remember(() => buildTree(columns, strings));
        this.treeOf = remember((made) => (made === columns ? this.baseTree() : buildTree(made, strings)));
        this.selected = remember((from, to, threads, byThread) => this.select({ from, to, threads: listOf(threads) }, byThread));
        const filter = (from: Columns, focus: string, drop: string, hide: string, recursion: boolean) => {
            const filters: Filters = { focus: listOf(focus), drop: listOf(drop), hide: listOf(hide), recursion };
            return filtersNothing(filters) ? from : filterColumns(from, filters, this.kinds);
        };
        this.filtered = remember(filter);
        this.timedTree = remember((from, to, ofThreads, focus, drop, hide, recursion, own) => {
            const selection = { from, to, threads: listOf(ofThreads) };
            const slices = profile.slices as Slices;
            const placed = { ...bare(columns), place: Int32Array.from(columns.parent.keys()) };
            const made = filter(withoutEmpty(selectColumns(placed, slices, selection)), focus, drop, hide, recursion);
            return orderByTime(own === null ? made : ownFirst(made, this.ownCode(own) as OwnCode), slices, selection, this.threadNames);
        });
        const least = isCoarse ? COARSE_SHARE : 0;
        this.callers = remember((tree) => callersTree(tree, strings, this.kinds, least));
        this.sandwich = remember((tree, method) => sandwich(tree, strings, this.kinds, method, least));
        this.folded = remember((tree) => foldChains(tree, strings, this.threadNames.type));
        this.foldedUpper = remember((tree) => foldChains(tree, strings, this.threadNames.type));
        this.made = remember((tree, upper, calls, cut, before) => this.make(tree, upper, calls, cut, before));
    }

    // The tree of the whole profile.
    get base(): Tree {
        return this.baseTree();
    }

    // Adds the threads' names to the strings, and their type to the types.
    private nameThreads(): { nameOf: Int32Array; type: number } {
        const { types, slices } = this.profile;
        const nameOf = Int32Array.from(slices ? slices.threads : [], (name) => this.addName(name));
        const known = types.indexOf(THREAD_TYPE); // a coarse copy shares the types
        return { nameOf, type: known >= 0 ? known : types.push(THREAD_TYPE) - 1 };
    }

    private addName(name: string): number {
        const at = this.numbers.get(name) ?? this.profile.strings.push(name) - 1;
        this.numbers.set(name, at);
        return at;
    }

    // Adds the effects of the names that were added.
    private lengthenEffects(): void {
        const { strings, effects } = this.profile;
        const longer = (column: Uint16Array) => {
            const made = new Uint16Array(strings.length).fill(1000);
            made.set(column);
            return made;
        };
        Object.assign(effects, { self: longer(effects.self), total: longer(effects.total) });
    }

    private select(selection: Selection, byThread: boolean): Columns {
        const { columns, slices } = this.profile;
        if (!slices || (selectsAll(selection) && !byThread)) {
            return columns;
        }
        return byThread ? threadColumns(columns, slices, selection, this.threadNames)
            : withoutEmpty(selectColumns(columns, slices, selection));
    }

    // Returns the state without choices that this profile does not have.
    possible(state: State): State {
        const { strings, slices, before } = this.profile;
        const names = (list: number[]) => list.filter((name) => name < strings.length);
        const made = {
            ...state,
            focus: names(state.focus), drop: names(state.drop), hide: names(state.hide),
            method: state.method < strings.length ? state.method : -1,
            threads: slices ? state.threads.filter((thread) => thread < slices.threads.length) : [],
            pools: slices ? state.pools.filter((thread) => thread < slices.threads.length) : [],
            axis: slices && isWindow(state.axis, slices.buckets) ? state.axis : [],
            colour: state.colour === "change" && !before ? "auto" : state.colour,
            sort: state.sort === "change" && !before ? "auto" : state.sort,
            width: before ? state.width : "after",
            order: slices && !before ? state.order : "size",
        } as State;
        if (made.method < 0 && made.view === "sandwich") {
            made.view = "calls";
        }
        if (!slices || made.from >= (made.to < 0 ? slices.buckets : made.to) || made.to > slices.buckets) {
            Object.assign(made, { from: 0, to: -1 });
        }
        return made;
    }

    // Whether the picture is in order of time. Merged callers have no order.
    inTime({ order, view }: State): boolean {
        return order === "time" && view === "calls" && this.profile.slices !== null;
    }

    byThread(state: State): boolean {
        const { slices, byThread } = this.profile;
        return slices !== null && (state.group === "threads" || (state.group === "auto" && byThread));
    }

    // Whether the picture shows the program's own code first. A search needs all frames, and so does a tree of callers.
    ownFirst(state: State): boolean {
        const can = this.profile.owners !== null && state.view === "calls" && state.query === "";
        return can && (state.fold === "auto" ? this.isMuch(state.own) : state.fold === "yes");
    }

    // Returns the scene; if it takes long to make, a coarse one, until makeExact was called for it.
    scene(state: State): Scene {
        const key = this.keyOf(state);
        const coarse = key === this.ready || key === this.baseKey ? null : this.coarse();
        return coarse ? coarse.scene({ ...state, fold: this.ownFirst(state) ? "yes" : "no" }) : this.exact(state);
    }

    makeExact(state: State): void {
        this.ready = this.keyOf(state);
        this.exact(state);
    }

    // What the trees of a scene depend on. The whole profile, as it is, is ready.
    private get baseKey(): string {
        return this.keyOf({ ...DEFAULTS, fold: "no", group: "none" });
    }

    private keyOf(state: State): string {
        const { from, to, threads, focus, drop, hide, recursion, chains, view, method, width, own } = state;
        const ownFirst = this.ownFirst(state);
        return JSON.stringify([from, to, threads, this.byThread(state), focus, drop, hide, recursion, chains, view,
            view === "sandwich" ? method : -1, width, ownFirst, ownFirst ? own : "", this.inTime(state)]);
    }

    private exact(state: State): Scene {
        const before = state.width === "before";
        const selected = before ? this.turned()
            : this.selected(state.from, state.to, state.threads.join("."), this.byThread(state));
        const columns = this.filtered(selected, state.focus.join("."), state.drop.join("."), state.hide.join("."),
            state.recursion);
        const calls = this.treeOf(columns);
        if (this.inTime(state)) {
            const tree = this.timedTree(state.from, state.to, state.threads.join("."), state.focus.join("."), state.drop.join("."),
                state.hide.join("."), state.recursion, this.ownFirst(state) ? state.own : null);
            return this.made(tree, null, calls, 0, before);
        }
        const fold = state.chains;
        if (state.view === "sandwich") {
            const { callers, callees } = this.sandwich(calls, state.method);
            return this.made(fold ? this.folded(callees) : callees, fold ? this.foldedUpper(callers.tree) : callers.tree, calls,
                callers.cut, before);
        }
        const { tree, cut } = state.view === "callers" ? this.callers(calls)
            : { tree: this.ownFirst(state) ? this.ownTree(columns, state.own) : calls, cut: 0 };
        return this.made(fold ? this.folded(tree) : tree, null, calls, cut, before);
    }

    private make(tree: Tree, upper: Tree | null, calls: Tree, cut: number, turned: boolean): Scene {
        const { profile } = this;
        const all = calls.total[0];
        const otherAll = calls.otherTotal ? calls.otherTotal[0] : 0;
        const before = profile.before;
        const [total, effective] = turned && before ? [before.total, before.effectiveSamples]
            : [profile.total, profile.effectiveSamples];
        const [otherTotal, otherEffective] = turned || !before ? [profile.total, profile.effectiveSamples]
            : [before.total, before.effectiveSamples];
        return {
            tree, upper, calls, cut, all, otherAll,
            whole: calls.selfEffect !== null,
            effectiveSamples: total > 0 ? (effective * all) / total : 0,
            otherEffective: otherTotal > 0 ? (otherEffective * otherAll) / otherTotal : 0,
            coarse: this.isCoarse,
        };
    }
}

function listOf(text: string): number[] {
    return text === "" ? [] : text.split(".").map(Number);
}
