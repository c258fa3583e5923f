// The server's page. It shows the services, one service over time, and the flame graph of the selection, inside the viewer's page.
// Names are put into the page as text, never as markup.

import { Chart, Series, Span } from "./chart";
import { CPU_TIME, readState, selector, State, writeState } from "./state";

interface Answer {
  complete: boolean;
  missing_text?: string;
}

interface Books {
  text: string;
  lines: { role: string; amount: number }[];
}

interface Service {
  name: string;
  recordings: number;
  types: Record<string, number>;
  labels: Record<string, string[]>;
}

interface SeriesAnswer extends Answer {
  type: string;
  step: number;
  from: number;
  to: number;
  books: Books | null;
  series: Series[];
}

function element<T extends Element>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

const range = element<HTMLSelectElement>("range");
const type = element<HTMLSelectElement>("type");
const by = element<HTMLSelectElement>("by");
const where = element<HTMLInputElement>("where");
const flame = element<HTMLIFrameElement>("flame");
let state = readState(location.hash);
let services: Service[] = [];
let asked = 0; // number of the latest request; answers to earlier requests are ignored

async function ask<T>(path: string, parameters: Record<string, string>): Promise<T> {
  const response = await fetch(path + "?" + new URLSearchParams(parameters).toString());
  const answer = await response.json();
  if (!response.ok)
    throw new Error(answer.error ?? response.statusText);
  return answer as T;
}

function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  const step = value < 1024 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), units.length - 1);
  return (value / 1024 ** step).toFixed(step ? 2 : 0) + " " + units[step];
}

function weight(of: string, value: number): string {
  if (of.endsWith(":bytes"))
    return bytes(value);
  if (!of.endsWith(":ns"))
    return value.toLocaleString("en");
  const seconds = value / 1e9;
  if (seconds >= 3600)
    return (seconds / 3600).toFixed(1) + " h";
  return seconds >= 60 ? (seconds / 60).toFixed(1) + " min" : seconds.toFixed(2) + " s";
}

function showServices(): void {
  const rows = services.map((service) => {
    const row = document.createElement("tr");
    const button = document.createElement("button");
    button.textContent = service.name;
    button.addEventListener("click", () => change({ service: service.name, by: "", from: 0, to: 0 }));
    const shown = service.types[chosenType()];
    const amount = shown === undefined ? "–" : weight(chosenType(), shown);
    for (const content of [button, amount, service.recordings.toLocaleString("en")]) {
      const cell = document.createElement("td");
      cell.append(content);
      row.append(cell);
    }
    row.classList.toggle("chosen", service.name === state.service);
    return row;
  });
  element("services").replaceChildren(...rows);
}

// Returns the types that the services measure, CPU time first.
function typesOf(list: Service[]): string[] {
  const all = new Set(list.flatMap((service) => Object.keys(service.types)));
  return [...all].sort((a, b) => Number(b === CPU_TIME) - Number(a === CPU_TIME) || (a < b ? -1 : 1));
}

function ofState(): Service[] {
  return state.service ? services.filter((service) => service.name === state.service) : services;
}

// Returns the chosen type. For a service without CPU time, this is its first type.
function chosenType(): string {
  return state.type || (typesOf(ofState())[0] ?? CPU_TIME);
}

function showChoices(): void {
  const types = typesOf(ofState());
  type.replaceChildren(...(types.includes(chosenType()) ? types : [...types, chosenType()]).map((name) => new Option(name, name)));
  type.value = chosenType();
  const labels = Object.keys(services.find((s) => s.name === state.service)?.labels ?? {});
  by.replaceChildren(...["", ...labels].map((name) => new Option(name || "nothing", name)));
  by.value = labels.includes(state.by) ? state.by : "";
  range.value = state.range;
  where.value = state.where;
  element("amount").textContent = chosenType() === CPU_TIME ? "CPU time" : chosenType();
  element("title").textContent = state.service || "all services";
}

function brush(): Span | null {
  return state.from && state.to > state.from ? { from: state.from, to: state.to } : null;
}

function showSeries(answer: SeriesAnswer): void {
  const most = chart.draw(answer.series, answer, answer.step, brush());
  const unit = answer.type.endsWith(":ns")
    ? `${(most / 1e9 / answer.step).toFixed(2)} ${answer.type === CPU_TIME ? "cores" : "threads"}`
    : `${weight(answer.type, most / answer.step)} a second`;
  const part = brush();
  const time = (t: number) => new Date(t * 1000).toLocaleString();
  const chosen = part ? `${time(part.from)} to ${time(part.to)} (Escape: all)` : "drag to choose a part";
  element("caption").textContent = answer.series.length ? `${answer.type}, at most ${unit}; ${chosen}` : "nothing in this time";
}

// Shows the share of the whole that was sampled, and describes the rest in words.
function showCoverage(books: Books | null): void {
  const pill = element<HTMLElement>("coverage");
  const lines = books?.lines ?? [];
  const sum = (...roles: string[]) => lines.filter((line) => roles.includes(line.role)).reduce((n, line) => n + line.amount, 0);
  const whole = sum("whole") || sum("seen", "failed", "lost", "unseen", "residual");
  pill.hidden = !books || !(whole > 0);
  pill.textContent = books && whole > 0 ? `${(100 * sum("seen", "failed") / whole).toFixed(1)} % sampled: ${books.text}` : "";
}

function showFlame(span: Span): void {
  const parameters = { select: selector(state), type: chosenType(), from: String(span.from), to: String(span.to), format: "html" };
  const address = "/v1/flamegraph?" + new URLSearchParams(parameters).toString();
  if (flame.getAttribute("src") !== address)
    flame.src = address;
}

async function show(): Promise<void> {
  const question = ++asked;
  try {
    const times = { from: "-" + state.range, to: "now" };
    const list = await ask<Answer & { services: Service[] }>("/v1/services", times);
    if (question !== asked)
      return;
    services = list.services.sort((a, b) => a.name < b.name ? -1 : 1);
    const series = await ask<SeriesAnswer>("/v1/series", { ...times, select: selector(state), type: chosenType(), by: state.by });
    if (question !== asked)
      return;
    showServices();
    showChoices();
    showSeries(series);
    showCoverage(series.books);
    showFlame(brush() ?? series);
    element("problem").textContent = series.missing_text ?? (state.service ? "" : list.missing_text ?? "");
    document.documentElement.dataset.ready = String(question);
  } catch (error) {
    element("problem").textContent = error instanceof Error ? error.message : String(error);
  }
}

function change(what: Partial<State>): void {
  state = { ...state, ...what };
  const hash = writeState(state);
  if (hash === location.hash || (hash === "#" && !location.hash))
    void show();
  else
    location.hash = hash; // the event hashchange then shows it
}

const chart = new Chart(element<SVGSVGElement>("chart"), (span) => change(span ?? { from: 0, to: 0 }));
range.addEventListener("change", () => change({ range: range.value, from: 0, to: 0 }));
type.addEventListener("change", () => change({ type: type.value }));
by.addEventListener("change", () => change({ by: by.value }));
where.addEventListener("change", () => change({ where: where.value }));
element("refresh").addEventListener("click", () => void show());
window.addEventListener("hashchange", () => {
  state = readState(location.hash);
  void show();
});
void show();
