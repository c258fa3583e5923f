// The JVMs that daemons see and do not record, each with the daemon's reason, and the daemons that have fallen silent.
import { formatCount, plural } from "../model/figures";
import { element } from "../page/dom";
import { Page } from "./page";
import { nameOf } from "./parts";
import { tableOf } from "./table";
import { timeText } from "./times";

interface Unrecorded {
    service: string | null;
    main: string | null;
    user: string | null;
    jdk: string | null;
    reason: string;
}

interface Daemon {
    host: string;
    heard: number; // seconds since the epoch
    recorded: number | null; // null = the daemon is of an earlier version, and does not say; or the token is for some services
    left_out: number | null; // null = the token is for some services
    not_recorded: Unrecorded[];
}

export interface Daemons {
    daemons: Daemon[];
    unheard: number;
}

const MOST = 200; // rows
const SILENT = 600; // seconds; the longest time between two messages is 120

export async function askDaemons({ questions }: Page): Promise<Daemons> {
    return questions.ask<Daemons>("/v1/daemons", {});
}

const now = () => Date.now() / 1000;
const isSilent = ({ heard }: Daemon) => now() - heard > SILENT;
const of = ({ not_recorded: list, left_out: more }: Daemon) => list.length + (more ?? 0);

// How many JVMs are not recorded, for the sentence of the view; "" = none.
export function unrecordedText({ daemons }: Daemons): string {
    const count = daemons.reduce((sum, daemon) => sum + of(daemon), 0);
    return count === 0 ? ""
        : ` ${plural(count, "JVM")} that daemons see ${count === 1 ? "is" : "are"} not recorded now: the reasons are below.`;
}

export function unrecordedParts({ state: { zone } }: Page, { daemons, unheard }: Daemons): HTMLElement[] {
    const rows = daemons.flatMap((daemon) => daemon.not_recorded.map((jvm) => ({ daemon, jvm })))
        .sort((a, b) => (a.daemon.host < b.daemon.host ? -1 : a.daemon.host > b.daemon.host ? 1 : 0));
    const all = daemons.reduce((sum, daemon) => sum + of(daemon), 0);
    const table = tableOf("JVMs that are not recorded", [
        { title: "JVM", kind: "method", cell: ({ jvm }) => [nameOf(jvm.main ?? "unknown")] },
        { title: "Why", kind: "method", cell: ({ jvm }) => [nameOf(jvm.reason)] },
        { title: "Host", kind: "name", cell: ({ daemon }) => [nameOf(daemon.host)] },
        { title: "Service", kind: "name", cell: ({ jvm }) => [nameOf(jvm.service ?? "–")] },
        { title: "User", kind: "text", cell: ({ jvm }) => [nameOf(jvm.user ?? "–")] },
        { title: "JDK", kind: "text", cell: ({ jvm }) => [nameOf(jvm.jdk ?? "–")] },
        {
            title: "Said", kind: "text", hint: "when the daemon last spoke", cell: ({ daemon }) =>
                [timeText(daemon.heard, zone), ...isSilent(daemon) ? [" ", element("span", { className: "partial" }, "silent")] : []],
        },
    ], rows.slice(0, MOST));
    const rest = all - Math.min(rows.length, MOST);
    return [element("h2", {}, "JVMs that are not recorded"), element("p", { className: "aside" }, ...daemonsText(daemons, unheard)),
        ...rows.length > 0 ? [table] : [],
        ...rest > 0 ? [element("p", { className: "aside" }, `${plural(rest, "more JVM")}: their daemons list all.`)] : [], elsewhere()];
}

function daemonsText(daemons: Daemon[], unheard: number): string[] {
    if (daemons.length === 0) {
        return ["No daemon has spoken to this server within a day. So it does not know of JVMs that send nothing."];
    }
    const silent = daemons.filter(isSilent).length;
    const old = daemons.filter(({ recorded, left_out: more }) => recorded === null && more !== null).length;
    const recorded = daemons.reduce((sum, daemon) => sum + (daemon.recorded ?? 0), 0);
    const known = daemons.some(({ recorded: count }) => count !== null);
    return [`As ${plural(daemons.length, "daemon")} said last: ${known ? plural(recorded, "JVM") + " recorded, " : ""}`
        + `${formatCount(daemons.reduce((sum, daemon) => sum + of(daemon), 0))} not.`,
    silent > 0 ? ` ${plural(silent, "daemon")} silent for more than ${SILENT / 60} minutes.` : "",
    old > 0 ? ` ${plural(old, "daemon")} of an earlier version, which do not say it.` : "",
    unheard > 0 ? ` For ${plural(unheard, "message")} of more daemons there was no room.` : ""];
}

// The server cannot know hosts without a daemon.
function elsewhere(): HTMLElement {
    return element("details", { className: "unsure" }, element("summary", {}, "A JVM is in neither list?"),
        element("p", { className: "aside" }, "Then no daemon told this server about it: none runs on its host, or it sends "
            + "elsewhere. On that host, these commands show what a daemon sees, and what keeps a JVM from being profiled:"),
        element("pre", { tabIndex: 0 }, "candor daemon --status\ncandor doctor PID"));
}
