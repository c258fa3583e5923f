// A coarse copy of a profile with very many frames: its smallest frames become part of their callers. It takes a fiftieth of the time to
// filter or to turn, so a picture of it can be shown while the exact one is computed. Figures of it are marked as coarse, and none is
// kept. The data of a large page have such a copy, which is all that the page reads before its first picture; for other data the copy is
// made here.
import { Profile } from "./profile";
import { Columns, Tree, frameCovering, levelsUnder, pathTo, totalsOf } from "./tree";

const MANY = 300_000; // a profile with fewer frames needs no coarse copy
const KEPT = 10_000;

// Returns the copy, or null if the profile is small enough. It shares names and types with the profile.
export function coarseOf(profile: Profile): Profile | null {
    const { columns, slices, coarse } = profile;
    if (coarse) {
        return { ...profile, ...coarse, sums: null };
    }
    if (columns.parent.length < MANY) {
        return null;
    }
    const { place, made } = mergeSmall(columns);
    return {
        ...profile, columns: made, sums: null,
        slices: slices && { ...slices, node: slices.node.map((node) => place[node]) },
    };
}

// Returns the columns with the largest frames only, and for each frame its place there, or that of the caller that it is now part of.
function mergeSmall({ parent, name, type, self, other }: Columns): { place: Int32Array; made: Columns } {
    const total = totalsOf(parent, self);
    if (other) {
        totalsOf(parent, other).forEach((value, i) => { total[i] += value; });
    }
    const least = leastOf(total);
    const kept: number[] = [];
    const place = new Int32Array(parent.length);
    for (let i = 0; i < parent.length; i++) {
        place[i] = i === 0 || total[i] >= least ? kept.push(i) - 1 : place[parent[i]];
    }
    const sums = (weights: Float64Array) => {
        const made = new Float64Array(kept.length);
        weights.forEach((weight, i) => { made[place[i]] += weight; });
        return made;
    };
    return {
        place,
        made: {
            parent: Int32Array.from(kept, (i) => place[parent[i]]), name: Int32Array.from(kept, (i) => name[i]),
            type: Uint8Array.from(kept, (i) => type[i]), self: sums(self), other: other && sums(other),
        },
    };
}

// Returns the weight that at most KEPT frames have, by halving.
function leastOf(total: Float64Array): number {
    let [low, high] = [0, total[0]];
    for (let step = 0; step < 24; step++) {
        const middle = (low + high) / 2;
        let count = 0;
        for (let i = 0; i < total.length; i++) {
            count += total[i] >= middle ? 1 : 0;
        }
        [low, high] = count > KEPT ? [middle, high] : [low, middle];
    }
    return high;
}

// Returns the frame of a tree that has the same path of names and types as a frame of another tree, as far as the tree has it. In order of
// time a path comes again and again, so there it is the frame at the same place.
export function sameFrame(from: Tree, frame: number, to: Tree): number {
    if (from.timed && to.timed) {
        return frameAtPlace(to, from.start[frame] + from.total[frame] / 2, from.depth[frame]);
    }
    let at = 0;
    for (const i of pathTo(from, frame).slice(1)) {
        let child = to.first[at];
        while (child < to.first[at + 1] && (to.name[child] !== from.name[i] || to.type[child] !== from.type[i])) {
            child++;
        }
        if (child === to.first[at + 1]) {
            return at;
        }
        at = child;
    }
    return at;
}

function frameAtPlace(tree: Tree, middle: number, depth: number): number {
    const frames = levelsUnder(tree, 0).slice(0, depth + 1).map((level) => frameCovering(tree, middle, level.from, level.to));
    return frames.filter((frame) => frame >= 0).pop() ?? 0;
}
