// The user's choices. The address holds all of them, so that a link, a reload and the back button lead to the same picture.

export interface State {
    view: string; // a word of views.ts
    service: string; // "" = all services
    range: string; // a duration before now
    from: number; // seconds since the epoch; 0 = `range` counts
    to: number;
    part: string; // the part of the time that was chosen in the chart, as "FROM-TO" in seconds; "" = all of it
    zone: string; // "local" or "utc"
    where: string[]; // matchers of labels, such as host="a"
    type: string; // what weights measure; "" = CPU time if there is some
    by: string; // the label that splits the chart
    hidden: string[]; // values of that label that the chart leaves out
    match: string; // text that names of functions must contain
    filter: string; // text that names of services must contain
    sort: string; // the column by which the table of services is sorted, with "-" in reverse; "" = by weight
    against: string; // the other side of a comparison: a word of sides.ts; "" = the first of the view
    label: string; // the label whose values are compared
    one: string;
    two: string;
    other: string; // like `part`, but in the chart of the time before
    order: string; // the key metric by which recordings are ordered; "" = by time
    recording: string; // the number of the recording whose threads are in sight, or "all" for none; "" = as the view says
    pick: string; // the number of the recording that waits for another one to be compared with; "" = none
    rule: string; // the rule of alerts in sight; "" = all
    draft: string; // the text of a rule that is being written; "" = none
    calls: string; // "drawn": the call graph is open; "" = it is not
    measure: string; // of a function over time: "weight"; "" = its share
    replaces: string; // the name of the rule that it is to replace; "" = the one of its own name, if there is one
    version: string; // the version of that rule that the draft was made from; "" = not known
    slow: string; // what the list of requests is ordered by: "duration", "cpu", "wall" or "alloc"
    cell: string; // the requests that were chosen in their heat map, as "FROM-TO:LEAST-MOST"; "" = all
    trace: string; // the id of the request in sight; "" = none
    finding: string; // the number of the finding in sight; "" = none
    graph: string; // the viewer's choices, as in its own address
}

export const DEFAULTS: Readonly<State> = Object.freeze({
    view: "services", service: "", range: "1h", from: 0, to: 0, part: "", zone: "local", where: [], type: "", by: "", hidden: [],
    match: "", filter: "", sort: "", against: "", label: "", one: "", two: "", other: "", order: "", recording: "", pick: "", rule: "",
    draft: "", calls: "", measure: "", replaces: "", version: "", slow: "duration", cell: "", trace: "", finding: "", graph: "",
});

export const RANGES: [string, string, number][] = [
    ["15m", "last 15 minutes", 900], ["1h", "last hour", 3600], ["6h", "last 6 hours", 21_600], ["24h", "last 24 hours", 86_400],
    ["168h", "last 7 days", 604_800],
];

const MOST_VALUES = 32; // matchers of a selector, and values that are hidden

type Key = keyof State;

const CHECKS: Partial<Record<Key, (text: string) => boolean>> = {
    range: (text) => RANGES.some(([word]) => word === text),
    zone: (text) => text === "local" || text === "utc",
    part: (text) => spanOf(text) !== null,
    other: (text) => spanOf(text) !== null,
    slow: (text) => ["duration", "cpu", "wall", "alloc"].includes(text),
    cell: (text) => cellOf(text) !== null,
    trace: (text) => /^[0-9a-fA-F]{1,32}$/.test(text),
    recording: (text) => /^(all|\d{1,15})$/.test(text),
    version: (text) => /^[0-9a-f]{32}$/.test(text),
    calls: (text) => text === "drawn",
    measure: (text) => text === "weight",
    finding: (text) => /^\d{1,15}$/.test(text),
};

export interface Span {
    from: number; // seconds since the epoch
    to: number;
}

export function spanOf(text: string): Span | null {
    const found = /^(\d{1,12})-(\d{1,12})$/.exec(text);
    const span = found ? { from: Number(found[1]), to: Number(found[2]) } : null;
    return span && span.from < span.to ? span : null;
}

// Requests that began in a span of time, and whose size is in a range.
export interface Cell {
    span: Span;
    least: number;
    most: number | null; // excluded; null = no upper bound
}

export function cellOf(text: string): Cell | null {
    const found = /^(\d{1,12}-\d{1,12}):(\d{1,18})-(\d{0,18})$/.exec(text);
    const span = found ? spanOf(found[1]) : null;
    return found && span ? { span, least: Number(found[2]), most: found[3] === "" ? null : Number(found[3]) } : null;
}

export function textOfCell(cell: Cell | null): string {
    return cell ? `${textOfSpan(cell.span)}:${cell.least}-${cell.most ?? ""}` : "";
}

export function textOfSpan(span: Span | null): string {
    return span ? span.from + "-" + span.to : "";
}

// Reads an address. Members that are missing or not valid have their defaults.
export function readState(hash: string): State {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const state: Record<string, unknown> = { ...DEFAULTS };
    for (const key of Object.keys(DEFAULTS) as Key[]) {
        const all = given.getAll(key);
        const initial = DEFAULTS[key];
        if (all.length === 0) {
            continue;
        }
        if (Array.isArray(initial)) {
            state[key] = all.slice(0, MOST_VALUES);
        } else if (typeof initial === "number") {
            state[key] = /^\d{1,12}$/.test(all[0]) ? Number(all[0]) : initial;
        } else {
            state[key] = CHECKS[key]?.(all[0]) ?? true ? all[0] : initial;
        }
    }
    const made = state as unknown as State;
    return made.from > 0 && made.to > made.from ? made : { ...made, from: 0, to: 0 };
}

// Returns the address of a state, without values that are the default.
export function writeState(state: State): string {
    const out = new URLSearchParams();
    for (const key of Object.keys(DEFAULTS) as Key[]) {
        const value = state[key];
        if (Array.isArray(value)) {
            value.forEach((one) => out.append(key, one));
        } else if (value !== DEFAULTS[key]) {
            out.set(key, String(value));
        }
    }
    return "#" + out.toString();
}

// Quotes a text as a selector requires.
export function quote(text: string): string {
    return '"' + text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n") + '"';
}

// Makes a matcher of what a user typed: host=a becomes host="a".
export function matcherOf(typed: string): string {
    const found = /^\s*([a-zA-Z_][\w.-]*)\s*(=~|!~|!=|=(?!~))\s*([^"\s].*?)\s*$/.exec(typed);
    return found ? found[1] + found[2] + quote(found[3]) : typed.trim();
}

export function selector({ service, where }: State, more: string[] = []): string {
    const parts = [...(service === "" ? [] : ["service=" + quote(service)]), ...where, ...more];
    return "{" + parts.join(",") + "}";
}

// Whether a matcher is of a label of samples, such as the endpoint. Questions about recordings refuse it.
export function isOfSamples(matcher: string): boolean {
    return /^\s*(endpoint|sample\.[\w.-]*)\s*[=!]/.test(matcher);
}

// The selector for questions about recordings: without labels of samples.
export function recordingSelector(state: State): string {
    return selector({ ...state, where: state.where.filter((matcher) => !isOfSamples(matcher)) });
}

// The times of a question. A relative time counts back from the server's clock.
export function timesOf({ range, from, to }: State): { from: string; to: string } {
    return from > 0 ? { from: String(from), to: String(to) } : { from: "-" + range, to: "now" };
}

export function secondsIn({ range, from, to }: State): number {
    return from > 0 ? to - from : (RANGES.find(([word]) => word === range) ?? RANGES[1])[2];
}

// The time that the choices are of, by this machine's clock. Answers of the server have the exact one.
export function presentSpan(state: State): Span {
    const now = Math.floor(Date.now() / 1000);
    return state.from > 0 ? { from: state.from, to: state.to } : { from: now - secondsIn(state), to: now };
}

// Keys of the viewer whose values are numbers of frames, names or threads. They mean something for one profile only.
const NUMBERED = ["zoom", "selected", "upperZoom", "upperSelected", "method", "focus", "drop", "hide", "threads", "from", "to", "axis",
    "pools"];

// Returns the viewer's choices without those that mean something for one profile only.
export function portable(graph: string): string {
    const given = new URLSearchParams(graph);
    NUMBERED.forEach((key) => given.delete(key));
    if (given.get("view") === "sandwich") {
        given.delete("view");
    }
    return given.toString();
}
