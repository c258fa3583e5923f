// Sums up the self and total weight of each method, over all places where it is called.
import { Tree } from "./tree";

export interface Method {
    name: number;
    self: number;
    total: number;
    otherSelf: number;
    otherTotal: number;
}

// Returns one entry per name in the tree. A stack in which a method calls itself counts once.
export function sumMethods(tree: Tree, strings: string[]): Method[] {
    const seen = new Uint8Array(strings.length);
    const sums = Array.from({ length: 4 }, () => new Float64Array(strings.length));
    const { self, total, otherSelf, otherTotal, name } = tree;
    forEachOutermost(tree, strings.length, (i, outermost) => {
        const at = name[i];
        seen[at] = 1;
        sums[0][at] += self[i];
        sums[1][at] += outermost ? total[i] : 0;
        if (otherSelf && otherTotal) {
            sums[2][at] += otherSelf[i];
            sums[3][at] += outermost ? otherTotal[i] : 0;
        }
    });
    const methods: Method[] = [];
    seen.forEach((is, at) => {
        if (is) {
            methods.push({ name: at, self: sums[0][at], total: sums[1][at], otherSelf: sums[2][at], otherTotal: sums[3][at] });
        }
    });
    return methods;
}

// Calls visit(frame, outermost) for each frame except the root, depth first. `outermost`: no ancestor has the same name.
function forEachOutermost({ count, first, parent, name }: Tree, names: number,
    visit: (frame: number, outermost: boolean) => void): void {
    const open = new Int32Array(names); // ancestors by name
    const isLast = (frame: number) => frame + 1 === first[parent[frame] + 1];
    for (let i = count > 1 ? 1 : 0; i > 0;) {
        visit(i, open[name[i]] === 0);
        if (first[i] < first[i + 1]) {
            open[name[i]]++;
            i = first[i];
            continue;
        }
        while (i > 0 && isLast(i)) {
            i = parent[i];
            open[name[i]]--;
        }
        i += i > 0 ? 1 : 0;
    }
}

export type MethodOrder = "self" | "total" | "name" | "change";

// Sorts methods. `change` returns the change of a method. The order "change" has the largest changes in either direction first.
export function sortMethods(methods: Method[], order: MethodOrder, strings: string[], change: (method: Method) => number):
Method[] {
    const text = ({ name }: Method) => strings[name];
    const byName = (a: Method, b: Method) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0);
    const bySize = (a: Method, b: Method) => b.self - a.self || b.total - a.total;
    const orders: Record<MethodOrder, (a: Method, b: Method) => number> = {
        self: bySize,
        total: (a, b) => b.total - a.total || b.self - a.self,
        name: () => 0,
        change: (a, b) => Math.abs(change(b)) - Math.abs(change(a)),
    };
    return methods.slice().sort((a, b) => orders[order](a, b) || byName(a, b));
}
