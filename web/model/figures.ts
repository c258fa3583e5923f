// Formats figures, and computes how certain they are.

export type Interval = [number, number];

export const Z95 = 1.959964;

// The effect, in thousandths, of a figure that is as certain as its number of samples allows, because the samples are independent.
// Samples in clusters, as those of clocks by lot, have a larger effect, at most MOST_EFFECT.
export const INDEPENDENT = 1000;
export const MOST_EFFECT = 65535;

// Returns the 95 % interval [low, high] of a share that was found in this many samples (Wilson score). Returns null if there are no
// samples.
export function wilson(share: number, samples: number, effect: number): Interval | null {
    const n = (samples * INDEPENDENT) / effect;
    if (!(n > 0)) {
        return null;
    }
    const z2 = (Z95 * Z95) / n;
    const centre = (share + z2 / 2) / (1 + z2);
    const half = (Z95 * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n))) / (1 + z2);
    return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

// size: the unit in nanoseconds; from: the time from which the unit is used.
const TIME_UNITS = [
    { unit: "h", size: 3600e9, from: 60000e9 },
    { unit: "min", size: 60e9, from: 1000e9 },
    { unit: "s", size: 1e9, from: 1e9 },
    { unit: "ms", size: 1e6, from: 1e6 },
    { unit: "µs", size: 1e3, from: 1e3 },
    { unit: "ns", size: 1, from: 0 },
];

// Formats a time with three significant digits, for example "12.3 ms". Minutes begin at 1,000 s, and hours at 1,000 min.
function formatTime(ns: number): string {
    const { unit, size } = TIME_UNITS.find(({ from }) => Math.abs(ns) >= from) ?? TIME_UNITS[TIME_UNITS.length - 1];
    return formatDigits(ns / size) + " " + unit;
}

function formatDigits(value: number): string {
    const size = Math.abs(value);
    if (size >= 999.5 || Number.isInteger(value)) {
        return formatCount(Math.round(value));
    }
    return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

// Formats a whole number with separators, for example "12,345".
export function formatCount(value: number): string {
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function formatBytes(bytes: number): string {
    let value = bytes;
    let step = 0;
    while (Math.abs(value) >= 1000 && step < BYTES.length - 1) {
        value /= 1024;
        step++;
    }
    return formatDigits(value) + " " + BYTES[step];
}

// Formats a value in the profile's unit.
export function formatValue(value: number, unit: string): string {
    if (unit === "bytes") {
        return formatBytes(value);
    }
    return unit === "ns" ? formatTime(value) : formatDigits(value) + (unit ? " " + unit : "");
}

// Formats a share as "12.3%" or "1.23%". A share that is too small to print becomes "<0.01%", never "0%".
export function formatShare(share: number): string {
    const percent = share * 100;
    const size = Math.abs(percent);
    if (size === 0 || !Number.isFinite(percent)) {
        return "0%";
    }
    if (size < 0.005) {
        return percent < 0 ? ">-0.01%" : "<0.01%";
    }
    return percent.toFixed(size >= 9.995 ? 1 : 2) + "%";
}

// Formats a change with its sign, for example "+1.23%".
export function formatChange(change: number): string {
    return change > 0 ? formatShare(change).replace(/^<?/, "$&+") : formatShare(change);
}

// Formats the change of a share, in points: "+1.23 pt".
export function formatPoints(change: number): string {
    return formatChange(change).replace("%", " pt");
}

// Formats the interval of such a change: "+1.23 to +4.56 pt".
export function formatPointRange([low, high]: Interval): string {
    return formatPoints(low).replace(" pt", "") + " to " + formatPoints(high);
}

export function formatInterval(interval: Interval | null): string {
    return interval ? formatShare(interval[0]) + " to " + formatShare(interval[1]) : "unknown";
}

// Formats an interval in less room, for example "1.23–4.56%".
export function formatRange([low, high]: Interval): string {
    return formatShare(low).replace("%", "") + "–" + formatShare(high);
}

export function plural(n: number, word: string): string {
    return formatCount(n) + " " + word + (n === 1 ? "" : "s");
}
