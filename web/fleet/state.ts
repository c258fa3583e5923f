// The user's choices. They are part of the address, so that a link shows the same.

export interface State {
  service: string;
  range: string; // a duration before now, for example "1h"
  type: string; // what weights measure, for example "alloc_space:bytes"; "" = CPU_TIME
  by: string; // a label, or ""
  where: string; // additional matchers
  from: number; // the brushed range, in seconds since the epoch; 0 = everything
  to: number;
}

export const CPU_TIME = "cpu:ns";
const RANGES = ["15m", "1h", "6h", "24h", "168h"];

function whole(text: string | null): number {
  const n = Number(text);
  return Number.isSafeInteger(n) && n > 0 ? n : 0;
}

export function readState(hash: string): State {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const range = given.get("range") ?? "1h";
  return {
    service: given.get("service") ?? "",
    range: RANGES.includes(range) ? range : "1h",
    type: given.get("type") ?? "",
    by: given.get("by") ?? "",
    where: given.get("where") ?? "",
    from: whole(given.get("from")),
    to: whole(given.get("to")),
  };
}

export function writeState(state: State): string {
  const out = new URLSearchParams();
  for (const [key, value] of Object.entries(state))
    if (value && !(key === "range" && value === "1h"))
      out.set(key, String(value));
  return "#" + out.toString();
}

// Quotes a text as a selector requires.
export function quote(text: string): string {
  return '"' + text.replace(/[\\"]/g, "\\$&") + '"';
}

export function selector(state: State): string {
  const parts = [];
  if (state.service)
    parts.push("service=" + quote(state.service));
  if (state.where.trim())
    parts.push(state.where.trim());
  return "{" + parts.join(",") + "}";
}
