// Locks: for which locks threads waited, and what held them meanwhile. Threads that wait for work are told apart.
import { formatShare, plural } from "../model/figures";
import { element } from "../page/dom";
import { LOCK_TIME, rateText } from "./kinds";
import { Leaf, Leaves, leafColumns, leafTable } from "./leaves";
import { OfClasses } from "./ofclasses";
import { Page } from "./page";
import { className } from "./parts";

const HOLDERS = "holder:ns";

// Classes for which threads park that wait for work, and not for a lock, as for the key metric park_wait. The bins of a ConcurrentHashMap
// are monitors.
const IDLE = /^java\.util\.concurrent\.(locks\..*ConditionObject|(?!locks\.|Semaphore\$|ConcurrentHashMap))/;

export const isIdle = (name: string): boolean => IDLE.test(name);

export class Locks extends OfClasses {
    readonly word = "locks";
    readonly title = "Locks";

    constructor() {
        super([LOCK_TIME, HOLDERS], "candor daemon -e cpu,lock");
    }

    protected say(answers: Map<string, Leaves>): (Node | string)[] {
        const waits = answers.get(LOCK_TIME);
        const some = waits?.list.filter(({ name }) => !isIdle(name)) ?? [];
        if (!waits || some.length === 0) {
            return ["No thread waited for a lock long enough to be seen; those that waited, waited for work."];
        }
        const all = some.reduce((sum, { self }) => sum + self, 0);
        return [className(some[0].name), ` costs most: ${rateText(LOCK_TIME, some[0].self / waits.seconds)} waited for it, `
            + `${formatShare(some[0].self / all)} of all waits for ${plural(some.length, "lock")}.`];
    }

    protected tables(page: Page, answers: Map<string, Leaves>): HTMLElement[] {
        const waits = answers.get(LOCK_TIME);
        const held = answers.get(HOLDERS);
        const made: HTMLElement[] = [];
        if (waits) {
            const [idle, some] = [true, false].map((which) => waits.list.filter(({ name }) => isIdle(name) === which));
            const byName = new Map(held?.list.map((leaf) => [leaf.name, leaf]));
            const heldText = (leaf: Leaf | undefined) => (leaf && held ? rateText(HOLDERS, leaf.self / held.seconds) : "–");
            made.push(...leafTable("Locks for which threads waited", [
                ...leafColumns(page, waits, "Lock", "Threads that waited"),
                {
                    title: "Held meanwhile by", kind: "number", hint: "threads that had it while others waited, on average",
                    cell: ({ name }) => heldText(byName.get(name)),
                },
            ], some), ...idleTable(page, waits, idle));
        }
        if (held && !waits) {
            made.push(...leafTable("Locks that were held while others waited",
                leafColumns(page, held, "Lock", "Threads that held it"), held.list));
        }
        return made;
    }
}

// Threads of a pool that wait for work are no problem, so their table is folded.
function idleTable(page: Page, waits: Leaves, idle: Leaf[]): HTMLElement[] {
    const sum = idle.reduce((all, { self }) => all + self, 0);
    return idle.length === 0 ? [] : [element("details", { className: "unsure" },
        element("summary", {}, `Idle: ${rateText(LOCK_TIME, sum / waits.seconds)} waited for work`),
        ...leafTable("Threads that waited for work", leafColumns(page, waits, "Parked for", "Threads that waited"), idle))];
}
