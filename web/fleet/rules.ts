// A rule of alerts as text, in the form of the server's file (docs/fleet.md#rules), and as a list of keys that a form can change.
export interface Rule {
    name: string;
    select: string;
    each: string | null;
    value: string;
    method: string | null;
    type: string;
    above?: string;
    below?: string;
    resolve: string;
    baseline: string | null;
    action: string | null;
    keep: { seconds: number; recordings: number } | null;
    window: number; // seconds, like the other times
    interval: number;
    delay: number;
    for: number;
    no_data: number;
    quiet: string[];
    to: string | null;
    labels: Record<string, string>;
    annotations: Record<string, string>;
}

export type Keys = [string, string][]; // in the order of the text; keys such as quiet may be repeated

export interface Draft {
    name: string;
    keys: Keys;
}

export const SAMPLE = "[alert method-is-hot]\neach = service\nvalue = total\nmethod = ^com\\.example\\.\nabove = 5%\nfor = 10m\n";

// Formats a length in the form of the file, for example "5m".
export function duration(seconds: number): string {
    const units: [string, number][] = [["d", 86_400], ["h", 3600], ["m", 60]];
    const [unit, size] = units.find(([, of]) => seconds >= of && seconds % of === 0) ?? ["s", 1];
    return seconds / size + unit;
}

// Times that a rule has without a key, in seconds.
const TIMES: [string, keyof Rule, number][] = [
    ["window", "window", 300], ["for", "for", 0], ["no-data", "no_data", 3600], ["interval", "interval", 60], ["delay", "delay", 60],
];

export function draftOf(rule: Rule): Draft {
    const bound = rule.below === undefined ? ["above", rule.above ?? ""] : ["below", rule.below];
    const some = (key: string, value: string | null, initial = ""): Keys => (value === null || value === initial ? [] : [[key, value]]);
    return {
        name: rule.name,
        keys: [
            ...some("select", rule.select), ...some("each", rule.each), ["value", rule.value], ...some("method", rule.method),
            ...some("type", rule.type, "cpu:ns"), [bound[0], bound[1]], ...some("resolve", rule.resolve, bound[1]),
            ...some("baseline", rule.baseline), ...some("action", rule.action),
            ...some("action", rule.keep && `keep ${duration(rule.keep.seconds)} ${rule.keep.recordings}`),
            ...TIMES.flatMap(([key, member, initial]) =>
                (rule[member] === initial ? [] : [[key, duration(Number(rule[member]))] as [string, string]])),
            ...rule.quiet.map((text): [string, string] => ["quiet", text]), ...some("to", rule.to),
            ...Object.entries(rule.labels).map(([key, text]): [string, string] => ["label." + key, text]),
            ...Object.entries(rule.annotations).map(([key, text]): [string, string] => ["annotation." + key, text]),
        ],
    };
}

export function textOf({ name, keys }: Draft): string {
    const quoted = (value: string) => (value.trim() === value && value !== "" ? value : `"${value}"`);
    return `[alert ${name}]\n` + keys.map(([key, value]) => `${key} = ${quoted(value)}\n`).join("");
}

// Reads a text as far as a form can show it. The server checks it.
export function parseDraft(text: string): Draft {
    const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !/^[#;]/.test(line));
    const name = lines.map((line) => /^\[alert\s+(.*)\]$/.exec(line)?.[1]).find((found) => found !== undefined) ?? "";
    const keys = lines.flatMap((line): Keys => {
        const found = /^([\w.-]+)\s*=\s*(.*)$/.exec(line);
        return found ? [[found[1], found[2].replace(/^"(.*)"$/, "$1")]] : [];
    });
    return { name, keys };
}

export function valueOf({ keys }: Draft, key: string): string {
    return keys.filter(([name]) => name === key).map(([, value]) => value).join("; ");
}

// Sets a key, or takes it away if the value is empty. The values of a key that may be repeated are separated by semicolons.
export function withKey({ name, keys }: Draft, key: string, value: string): Draft {
    const values = value.split(";").map((one) => one.trim()).filter((one) => one !== "");
    const at = keys.findIndex(([one]) => one === key);
    const others = keys.filter(([one]) => one !== key);
    const made = (key === "quiet" ? values : [value.trim()].filter((one) => one !== "")).map((one): [string, string] => [key, one]);
    const place = at < 0 ? others.length : keys.slice(0, at).filter(([one]) => one !== key).length;
    return { name, keys: [...others.slice(0, place), ...made, ...others.slice(place)] };
}

// The number of a threshold, in the unit of the values: "5%" is 0.05.
export function thresholdOf(text: string): number {
    const number = parseFloat(text);
    return text.trim().endsWith("%") ? number / 100 : number;
}
