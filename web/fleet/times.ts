// Formats times in the zone that the user chose.
import { Tick, clockOf, dateOf, ticksOf } from "../model/clock";
import { plural } from "../model/figures";
import { Span } from "./state";

const CLOSE = 0.002; // a length that differs less than this from a round one is shown as the round one

// Returns a time whose UTC text is the text of these seconds in the zone.
function shown(seconds: number, zone: string): number {
    return (zone === "utc" ? seconds : seconds - new Date(seconds * 1000).getTimezoneOffset() * 60) * 1e9;
}

export function zoneText(zone: string): string {
    return zone === "utc" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone || "local time";
}

export function timeText(seconds: number, zone: string): string {
    return dateOf(shown(seconds, zone)) + " " + clockOf(shown(seconds, zone), 1e9);
}

// Formats a time in ns since the epoch to the millisecond.
export function momentText(ns: number, zone: string): string {
    const at = shown(ns / 1e9, zone);
    return dateOf(at) + " " + clockOf(at, 1e6);
}

// Formats a span, for example "2026-11-25 12:02:40 to 12:03:00".
export function spanText({ from, to }: Span, zone: string): string {
    const [first, last] = [timeText(from, zone), timeText(to, zone)];
    return first + " to " + (first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last);
}

export function lengthText({ from, to }: Span): string {
    const seconds = to - from;
    const units: [string, number][] = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];
    const isClose = (size: number) => Math.abs(seconds / size - Math.round(seconds / size)) < CLOSE * seconds / size;
    const [word, size] = units.find(([, least]) => seconds >= least / (1 + CLOSE) && isClose(least)) ?? units[3];
    return plural(Math.round(seconds / size), word);
}

// Returns ticks for an axis. Where a day begins, the label is its date.
export function axisTicks({ from, to }: Span, zone: string, most: number): Tick[] {
    const ticks = ticksOf(shown(from, zone), (to - from) * 1e9, Math.max(1, most), clockOf);
    const seconds = ticks.some(({ label }) => !label.endsWith(":00"));
    return ticks.map(({ at, label }) => ({
        at,
        label: label === "00:00:00" ? dateOf(shown(from + at * (to - from), zone)).slice(5) : seconds ? label : label.slice(0, 5),
    }));
}

// For fields of type datetime-local.
export function fieldOf(seconds: number, zone: string): string {
    return timeText(seconds, zone).replace(" ", "T");
}

export function secondsOf(field: string, zone: string): number {
    const ms = Date.parse(zone === "utc" ? field + "Z" : field);
    return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];
const MOST_STEPS = 96;

// Returns the step of a chart over this many seconds.
export function stepFor(seconds: number): string {
    return String(STEPS.find((step) => seconds / step <= MOST_STEPS) ?? Math.ceil(seconds / MOST_STEPS));
}
