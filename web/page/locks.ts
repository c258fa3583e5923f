// Shows the locks for which threads waited, and which threads had them.
import { formatCount, formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { Lock, Locks } from "../model/parts";
import { App } from "./app";
import { element } from "./dom";
import { action, table } from "./widgets";

const MOST = 50;
const MOST_HOLDERS = 4;
const LONGEST = 200;

export function locksPanel(app: App, { rows, idle }: Locks): HTMLElement[] {
    const waits = idle && element("p", {}, "Not among them: " + plural(idle.threads, "thread") + " that waited for work, as the workers of "
        + "a pool do between two tasks: " + formatValue(idle.waited, "ns") + " in " + plural(idle.waits, "wait") + ".");
    return [...(rows.length > 0 ? lockTable(app, rows) : [element("p", {}, "No thread waited for a lock.")]), ...(waits ? [waits] : [])];
}

function lockTable(app: App, locks: Lock[]): HTMLElement[] {
    const rows = locks.slice(0, MOST).map((lock) => [
        action(visibleName(lock.name || "unknown").slice(0, LONGEST), "The threads that wait for it: stacks that end there",
            () => void app.showEvidence("lock", [lock.name])),
        lock.kind, formatValue(lock.waited, "ns"), formatShare(lock.share), formatCount(lock.waits), holdersOf(app, lock),
    ]);
    const more = locks.length > MOST ? [element("p", {}, "The first " + MOST + " of " + locks.length + " locks.")] : [];
    const about = "Threads waited for these locks. Click a lock to see the stacks that waited for it, "
        + "and a thread to see what it did while it held the lock.";
    return [element("p", {}, about),
        table(["Lock", "Kind", "Waited", "Share", "Waits", "Held at that time by"], ["Waited", "Share", "Waits"], rows), ...more];
}

function holdersOf(app: App, { holders, waited }: Lock): HTMLElement {
    const known = holders.filter(({ name }) => name !== "");
    const share = (part: number) => " " + formatShare(waited > 0 ? part / waited : 0);
    const named = known.slice(0, MOST_HOLDERS).map((holder) => element("span", {},
        app.kinds.has("holder") ? action(visibleName(holder.name).slice(0, LONGEST), "What this thread did while others waited",
            () => void app.showThread("holder", holder.name)) : element("bdi", { dir: "ltr" }, visibleName(holder.name).slice(0, LONGEST)),
        share(holder.waited)));
    const rest = known.length - MOST_HOLDERS;
    return element("span", { className: "holders" }, ...named,
        ...(rest > 0 ? ["and " + rest + " more"] : []), ...(known.length === 0 ? ["not known"] : []));
}
