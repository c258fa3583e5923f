// The call graph of methods that all call each other, for which a search that tries all ways would never end.
import { callGraphOf } from "../../../web/model/callgraph";
import { ok, same } from "./tap";

const METHODS = 30;

export function calls(): void {
    const [parent, name, self] = [[0], [0], [0]];
    const put = (above: number, of: number, weight: number) => {
        parent.push(above);
        name.push(of);
        self.push(weight);
        return parent.length - 1;
    };
    for (let one = 1; one <= METHODS; one++) {
        for (let two = 1; two <= METHODS; two++) {
            if (one !== two) {
                put(put(0, one, 0), two, one < two ? 1 + one : 1);
            }
        }
    }
    const graph = callGraphOf({ parent: Int32Array.from(parent), name: Int32Array.from(name), self: Float64Array.from(self) }, METHODS);
    same([graph.nodes.length, graph.calls.length, graph.layers], [METHODS, METHODS * (METHODS - 1), METHODS],
        "methods that all call each other: all calls, and the heavier ones lead down");
    const layerOf = new Map(graph.nodes.map((node) => [node.name, node.layer]));
    ok(graph.nodes.every(({ name: of }) => layerOf.get(of) === of - 1), "each method is below its callers", [...layerOf]);
}
