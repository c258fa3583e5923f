// What troubles each service: its share of time in garbage collection, and the worst of its findings. The list of services asks for both of
// all services at once.
import { FindingsAnswer, MetricsAnswer } from "./api";
import { Page } from "./page";
import { recordingSelector } from "./state";

export interface Trouble {
    gc: number | null; // share of the time; null = not recorded
    worst: string; // title of the worst finding; "" = none
    findings: number;
}

export const CALM: Trouble = { gc: null, worst: "", findings: 0 };
const GC = "gc_share";

// missing: what the answers lack.
export interface Troubles {
    of: Map<string, Trouble>;
    missing: (string | undefined)[];
}

export async function askTroubles(page: Page, times: { from: string; to: string }): Promise<Troubles> {
    const { state, questions } = page;
    const asked = { ...times, select: recordingSelector({ ...state, service: "" }) };
    const [metrics, found] = await Promise.all([
        questions.ask<MetricsAnswer>("/v1/metrics", { ...asked, metric: GC, by: "service", step: "all" }),
        questions.ask<FindingsAnswer>("/v1/findings", asked),
    ]);
    const made = new Map<string, Trouble>();
    const of = (service: string) => {
        const one = made.get(service) ?? { ...CALM };
        made.set(service, one);
        return one;
    };
    metrics.metrics.forEach(({ series }) => series.forEach(({ value, points: [point] }) => {
        of(value).gc = point ? point[1] : null;
    }));
    found.findings.forEach(({ service, title }) => {
        const one = of(service);
        one.worst = one.worst || title; // the server has sorted them, the worst first
        one.findings++;
    });
    return { of: made, missing: [metrics.missing_text, found.complete ? "" : "only the worst findings are counted"] };
}
