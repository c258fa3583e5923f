// Returns a function that remembers its last result. The arguments must be plain values, or objects that do not change.
export function remember<A extends unknown[], R>(work: (...given: A) => R): (...given: A) => R {
    let last: { given: A; result: R } | null = null;
    return (...given) => {
        const known = last;
        if (known && known.given.every((value, i) => value === given[i])) {
            return known.result;
        }
        const result = work(...given);
        last = { given, result };
        return result;
    };
}
