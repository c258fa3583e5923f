// Folds chains of equal width: a frame that does nothing except call one other frame is folded into that frame.
import { Columns, Tree, Values, buildTree, reorder } from "./tree";

const MOST_FOLDED = 65535;

// Folds the chains of a tree. Frames of the type `kept` are never folded.
export function foldChains(tree: Tree, strings: string[], kept: number): Tree {
    const { count, parent } = tree;
    // For a folded frame: the frame under which its chain hangs, and the number of frames of the chain down to this one.
    const under = new Int32Array(count);
    const folds = new Uint16Array(count);
    const place = new Int32Array(count);
    const left = new Int32Array(count);
    let end = 1;
    for (let i = 1; i < count; i++) {
        const above = parent[i];
        under[i] = folds[above] > 0 ? under[above] : place[above];
        if (tree.type[i] !== kept && hasOneChildOfItsWidth(tree, i)) {
            folds[i] = Math.min(folds[above] + 1, MOST_FOLDED);
        } else {
            place[i] = end;
            left[end++] = i;
        }
    }
    const order = left.subarray(0, end);
    const pick = <T extends Values>(column: T | null) => (column ? reorder(column, order) : undefined);
    const columns: Columns = {
        parent: reorder(under, order),
        name: reorder(tree.name, order),
        type: reorder(tree.type, order),
        self: reorder(tree.self, order),
        other: pick(tree.otherSelf),
        selfEffect: pick(tree.selfEffect),
        totalEffect: pick(tree.totalEffect),
        folded: Uint16Array.from(order, (i) => (i === 0 ? 0 : folds[parent[i]])),
    };
    return buildTree(columns, strings, tree.root);
}

function hasOneChildOfItsWidth({ total, otherTotal, first }: Tree, frame: number): boolean {
    const child = first[frame];
    return first[frame + 1] === child + 1 && total[child] === total[frame]
        && (!otherTotal || otherTotal[child] === otherTotal[frame]);
}
