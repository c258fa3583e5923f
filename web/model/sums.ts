// Reads the sums of methods that a server has computed from all samples. A pruned tree needs them, because sums over the tree would be too
// small.
import { demand } from "./columns";
import { Method } from "./methods";

export function readSums(rows: unknown, canonical: Int32Array): Method[] | null {
    if (rows === undefined) {
        return null;
    }
    demand(Array.isArray(rows), "sums: not a list");
    return (rows as unknown[]).map((row, i) => {
        const good = Array.isArray(row) && row.length === 3 && row.every((value) => typeof value === "number" && value >= 0)
            && Number.isInteger(row[0]) && row[0] < canonical.length;
        demand(good, "sums[" + i + "]: not a name, self and total");
        const [name, self, total] = row as number[];
        return { name: canonical[name], self, total, otherSelf: 0, otherTotal: 0 };
    });
}
