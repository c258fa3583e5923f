// Asks the server (docs/formats/server-api.md). A few questions are on their way at once; the others wait for their turn.
import { Json } from "../model/profile";

export interface Answer {
    complete: boolean;
    missing_text?: string;
}

export interface Books {
    text: string;
    recordings: number;
    lines: { account: string; reason: string; role: string; amount: number; count: number }[];
}

export interface Service {
    name: string;
    recordings: number;
    types: Record<string, number>;
    labels: Record<string, string[]>;
}

export interface Services extends Answer {
    services: Service[];
}

export interface Series {
    value: string;
    points: [number, number][]; // seconds since the epoch, weight
}

export interface SeriesAnswer extends Answer {
    type: string;
    step: number;
    from: number;
    to: number;
    books: Books | null;
    series: Series[];
}

export interface GraphAnswer {
    server: Answer & { recordings: number; books: Books | null; nodes_pruned: number };
    page: Json;
}

export interface TopAnswer {
    groups: { labels: Record<string, string>; methods: { name: string; own_share: number; own_low: number; own_high: number }[] }[];
}

export interface FunctionsAnswer extends Answer {
    type: string;
    found: { methods: number; self: number; total: number };
    methods: FoundMethod[];
    methods_left_out: number;
}

export interface FoundMethod {
    name: string;
    self_share: number;
    self_low: number;
    self_high: number;
    total_share: number;
    total_low: number;
    total_high: number;
    groups: {
        labels: Record<string, string>;
        self_share: number;
        self_low: number;
        self_high: number;
        total: number;
        total_share: number;
        total_low: number;
        total_high: number;
    }[];
    groups_left_out?: { groups: number };
}

export interface FunctionSeriesAnswer extends Answer {
    step: number;
    from: number;
    to: number;
    series: { labels: Record<string, string>; points: [number, number, number][] }[]; // seconds since the epoch, self, total
    series_left_out?: { series: number };
}

// Recordings, as the server keeps them.
export interface Recording {
    id: number;
    service: string;
    labels: Record<string, string>;
    received: number; // seconds since the epoch, like start and end
    start: number;
    end: number;
    bytes: number;
    agent: string | null; // the version of Candor's agent
    contents: { type: string; weight: number; samples: number }[];
    raw: boolean; // whether it can be downloaded
}

export interface RecordingsAnswer extends Answer {
    recordings: Recording[];
}

// A key metric over time.
export interface Metric {
    name: string;
    unit: string;
    minutes: "mean" | "max";
    jvms: "sum" | "mean" | "max";
    title: string;
    meaning: string;
    series: { value: string; points: [number, number][] }[];
}

export interface MetricsAnswer extends Answer {
    from: number;
    to: number;
    step: number;
    metrics: Metric[];
    without_metrics: number;
}

export interface Finding {
    id: number;
    note: string;
    title: string;
    severity: string;
    service: string;
    place: string;
    state: string;
    first: number; // seconds since the epoch
    last: number;
    hosts: string[];
    versions: string[];
    worst: { lost_ns: number; duration_ns: number };
}

export interface FindingsAnswer extends Answer {
    findings: Finding[];
    // Counts of recordings and findings are missing for a token of some services.
    waiting?: number; // recordings that no rule has seen yet
    skipped?: { late: number };
    unlisted?: number;
    analyze_cpu?: number; // 0: the server does not look for problems
}

export type Parameters = Record<string, string>;

export const NOT_FOUND = 404;
export const BAD_REQUEST = 400;
export const FORBIDDEN = 403;
export const UNAUTHORIZED = 401;
export const CHANGED = 412; // by somebody else, since it was read

// The error that the server sent instead of an answer.
export class AnswerError extends Error {
    constructor(readonly status: number, text: string) {
        super(text);
    }
}

const AT_ONCE = 4;

const addressOf = (path: string, parameters: Parameters) => path + "?" + new URLSearchParams(parameters).toString();

export class Questions {
    private readonly stop = new AbortController();
    private running = 0;
    private readonly waiting: (() => void)[] = [];
    private readonly early = new Map<string, Promise<unknown>>(); // by address

    // note: sees each answer.
    constructor(private readonly note: (answer: unknown) => void) {}

    // Gives up all questions: their promises never settle.
    end(): void {
        this.stop.abort();
    }

    get ended(): boolean {
        return this.stop.signal.aborted;
    }

    // Waits for work on an answer. Like that of `ask`, the promise never settles if the questions have ended meanwhile.
    async keep<T>(work: Promise<T>): Promise<T> {
        const made = await work;
        return this.ended ? new Promise<T>(() => undefined) : made;
    }

    ask<T>(path: string, parameters: Parameters): Promise<T> {
        const address = addressOf(path, parameters);
        const early = this.early.get(address);
        this.early.delete(address);
        return early ? early as Promise<T> : this.inTurn<T>(address, "GET");
    }

    // Begins a question that `ask` will probably put later.
    expect(path: string, parameters: Parameters): void {
        const address = addressOf(path, parameters);
        const answer = this.inTurn(address, "GET");
        answer.catch(() => undefined); // `ask` reports it, or nobody needs it
        this.early.set(address, answer);
    }

    // Has the server do something. It may need a token with other scopes than reading does.
    post<T>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
        return this.inTurn<T>(path, "POST", body === undefined ? undefined : JSON.stringify(body), headers);
    }

    // Asks for the page of a recording: one that the server has, or this file, which the server does not keep.
    page(path: string, file?: File): Promise<string> {
        return this.waits(() => this.send(path, file ? "POST" : "GET", file, (response) => response.text()));
    }

    private async inTurn<T>(address: string, method: string, body?: string, headers: Record<string, string> = {}): Promise<T> {
        const json = (response: Response) => response.json().catch(() => null) as Promise<unknown>;
        return this.waits(async () => {
            const answer = await this.send(address, method, body, json, headers);
            this.note(answer);
            return answer as T;
        });
    }

    // Does the work when few others run.
    private async waits<T>(work: () => Promise<T>): Promise<T> {
        if (this.running >= AT_ONCE) {
            await new Promise<void>((go) => this.waiting.push(go));
        }
        this.running++;
        try {
            return await work();
        } catch (error) {
            return this.ended ? await new Promise<T>(() => undefined) : Promise.reject(error);
        } finally {
            this.running--;
            this.waiting.shift()?.();
        }
    }

    private async send<T>(address: string, method: string, body: string | File | undefined,
        read: (response: Response) => Promise<T>, headers: Record<string, string> = {}): Promise<T> {
        let response: Response;
        try {
            response = await fetch(address, { method, body: body ?? null, headers, signal: this.stop.signal });
        } catch {
            throw new Error("The server does not answer. Is candor server running, and does this machine reach it?");
        }
        if (!response.ok) {
            const said = await response.json().catch(() => null) as { error?: string } | null;
            throw new AnswerError(response.status, said?.error ?? "The server answered " + response.status + " " + response.statusText);
        }
        const answer = await read(response);
        if (answer === null) {
            throw new Error("The answer broke off, or is not from a Candor server. Press Refresh to ask again.");
        }
        return answer;
    }
}
