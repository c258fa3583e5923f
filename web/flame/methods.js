// Self and total of each method, over all places where it is called.

// Returns [{name, self, total}], one per name in the tree. A stack in which a method calls itself counts once.
export function sumMethods(tree, strings) {
    const self = new Float64Array(strings.length);
    const total = new Float64Array(strings.length);
    const seen = new Uint8Array(strings.length);
    forEachOutermost(tree, strings.length, (i, outermost) => {
        const name = tree.name[i];
        seen[name] = 1;
        self[name] += tree.self[i];
        total[name] += outermost ? tree.total[i] : 0;
    });
    const methods = [];
    seen.forEach((is, name) => {
        if (is) {
            methods.push({ name, self: self[name], total: total[name] });
        }
    });
    return methods;
}

// Calls visit(frame, outermost) for each frame but the root, depth first; `outermost`: no ancestor has the same name.
function forEachOutermost(tree, names, visit) {
    const open = new Int32Array(names);
    const pending = [];
    for (let i = tree.first[0]; i < tree.first[1]; i++) {
        pending.push(i);
    }
    while (pending.length > 0) {
        const i = pending.pop();
        if (i < 0) {
            open[tree.name[~i]]--;
            continue;
        }
        visit(i, open[tree.name[i]] === 0);
        open[tree.name[i]]++;
        pending.push(~i);
        for (let child = tree.first[i]; child < tree.first[i + 1]; child++) {
            pending.push(child);
        }
    }
}

export function sortMethods(methods, key, strings) {
    const text = ({ name }) => strings[name];
    return methods.slice().sort((a, b) => b[key] - a[key] || b.total - a.total || (text(a) < text(b) ? -1 : 1));
}
