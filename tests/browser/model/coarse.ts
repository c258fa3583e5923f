// Coarse copies of profiles with very many frames: nothing is lost, the largest frames have their exact totals, and the exact picture
// takes the place of a coarse one.
import { coarseOf, sameFrame } from "../../../web/model/coarse";
import { Profile } from "../../../web/model/profile";
import { Columns, buildTree, totalsOf } from "../../../web/model/tree";
import { SceneMaker } from "../../../web/page/scene";
import { DEFAULTS } from "../../../web/page/state";
import { random } from "./stacks";
import { ok, same } from "./tap";

const FRAMES = 310_000;
const NAMES = 500;

function profileOf(frames: number): Profile {
    const draw = random(11);
    const columns: Columns = {
        parent: new Int32Array(frames), name: new Int32Array(frames), type: new Uint8Array(frames), self: new Float64Array(frames),
        selfEffect: new Uint16Array(frames).fill(1000), totalEffect: new Uint16Array(frames).fill(1000),
    };
    for (let i = 1; i < frames; i++) {
        columns.parent[i] = Math.floor(i * draw() ** 0.3);
        columns.name[i] = 1 + Math.floor(draw() * (NAMES - 1));
        columns.self[i] = Math.floor(draw() ** 8 * 1e6);
    }
    const strings = Array.from({ length: NAMES }, (_, i) => "com.acme.C" + i + ".m");
    const effects = { self: new Uint16Array(NAMES).fill(1000), total: new Uint16Array(NAMES).fill(1000) };
    const slices = {
        startNs: 1, bucketNs: 1e6, buckets: 9, threads: ["t"], count: frames, time: new Int32Array(frames), thread: new Int32Array(frames),
        node: Int32Array.from({ length: frames }, (_, i) => i), weight: columns.self, state: null,
    };
    return { columns, strings, types: ["JIT compiled"], effects, slices, owners: null, before: null, sums: null, coarse: null, rest: null,
        byThread: false, total: 1, effectiveSamples: 1, notes: [] } as unknown as Profile;
}

export function coarse(): void {
    same(coarseOf(profileOf(1000)), null, "a small profile has no coarse copy");
    const profile = profileOf(FRAMES);
    const copy = coarseOf(profile) as Profile;
    const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0);
    ok(copy.columns.parent.length <= 10_001 && sum(copy.columns.self) === sum(profile.columns.self), "a coarse copy has all of the weight",
        copy.columns.parent.length);
    const totals = (columns: Columns) => totalsOf(columns.parent, columns.self).sort().reverse();
    const [few, all] = [totals(copy.columns), totals(profile.columns)];
    ok(few.every((total, i) => total === all[i]), "and the largest frames, with their totals");
    const slices = copy.slices!;
    const ofSlices = new Float64Array(copy.columns.parent.length);
    slices.node.forEach((node, i) => { ofSlices[node] += slices.weight[i]; });
    ok(ofSlices.every((weight, i) => weight === copy.columns.self[i]), "its slices add up to its frames");
    scenes(profile, copy);
}

function scenes(profile: Profile, copy: Profile): void {
    const [coarseTree, exactTree] = [copy, profile].map(({ columns, strings }) => buildTree(columns, strings));
    const path = (tree: typeof exactTree, frame: number): string =>
        (frame > 0 ? path(tree, tree.parent[frame]) + "/" + tree.name[frame] : "");
    ok([1, 2, 50, 900].every((i) => path(coarseTree, i) === path(exactTree, sameFrame(coarseTree, i, exactTree))),
        "a frame is found in the exact tree by its path");
    const maker = new SceneMaker(profile);
    const hidden = { ...DEFAULTS, hide: [3] };
    ok(!maker.scene(DEFAULTS).coarse, "the whole profile is exact at once");
    const first = maker.scene(hidden);
    maker.makeExact(hidden);
    const then = maker.scene(hidden);
    ok(first.coarse && !then.coarse && first.all === then.all && then.tree.count > first.tree.count && !maker.scene(DEFAULTS).coarse,
        "a change is coarse until its exact picture is made", [first.tree.count, then.tree.count]);
}
