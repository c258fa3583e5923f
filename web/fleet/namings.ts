// The findings of the service in sight that name a method or a class, for the marks in the flame graph.
import { Naming } from "../page/named";
import { FindingsAnswer } from "./api";
import { Page } from "./page";
import { recordingSelector, timesOf } from "./state";

// A place is a method, a class, or "CLASS at METHOD" (docs/formats/server-api.md).
const BETWEEN = " at ";

export async function askNamings(page: Page): Promise<Naming[]> {
    const { findings } = await page.questions.ask<FindingsAnswer>("/v1/findings",
        { ...timesOf(page.state), select: recordingSelector(page.state) });
    return findings.filter(({ place }) => place !== "").map(({ id, title, place }) => ({
        title, names: place.split(BETWEEN), open: () => page.change({ view: "findings", finding: String(id) }),
    }));
}
