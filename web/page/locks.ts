// Shows the locks for which threads waited, and which threads had them.
import { formatCount, formatShare, formatValue, plural } from "../model/figures";
import { visibleName } from "../model/names";
import { Lock, LockGroup, Locks } from "../model/parts";
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

function lockTable(app: App, groups: LockGroup[]): HTMLElement[] {
    const rows = groups.slice(0, MOST).map((group) => [
        nameOf(app, group), group.kind, formatValue(group.waited, "ns"), formatShare(group.share), formatCount(group.waits),
        siteOf(group), holdersOf(app, group),
    ]);
    const more = groups.length > MOST ? [element("p", {}, "The first " + MOST + " of " + groups.length + " classes of locks.")] : [];
    const about = "Threads waited for these locks. Click a lock to see the stacks that waited for it, "
        + "and a thread to see what it did while it held the lock.";
    return [element("p", {}, about),
        table(["Lock", "Kind", "Waited", "Share", "Waits", "Mostly in", "Held at that time by"], ["Waited", "Share", "Waits"], rows),
        ...more];
}

function nameOf(app: App, group: LockGroup): HTMLElement {
    const name = action(visibleName(group.name || "unknown").slice(0, LONGEST), "The threads that wait for it: stacks that end there",
        () => void app.showEvidence("lock", [group.name]));
    return group.locks.length < 2 ? name : element("div", {}, name, eachOf(group));
}

function siteOf({ site }: Lock): HTMLElement {
    return element("bdi", { dir: "ltr" }, site ? visibleName(site).slice(0, LONGEST) : "no own code");
}

// Lists the locks of a class, folded. They differ by where threads waited and by who had them; an address tells apart those that do not.
function eachOf({ locks }: LockGroup): HTMLElement {
    const items = locks.slice(0, MOST).map((lock) => {
        const holder = lock.holders.find(({ name }) => name !== "");
        const cost = formatValue(lock.waited, "ns") + " in " + plural(lock.waits, "wait");
        return element("li", {}, lock.address + ": " + cost + ", mostly in ", siteOf(lock),
            ...(holder ? [", held by ", element("bdi", { dir: "ltr" }, visibleName(holder.name).slice(0, LONGEST))] : []));
    });
    const rest = locks.length - items.length;
    return element("details", {}, element("summary", {}, formatCount(locks.length) + " addresses"),
        element("ul", { className: "reasons" }, ...items, ...(rest > 0 ? [element("li", {}, "and " + rest + " more")] : [])));
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
