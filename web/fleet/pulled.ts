// The profiles that the server fetches from programs (--pull), with those that fail first. It is a part of Health.
import { formatCount, plural } from "../model/figures";
import { element } from "../page/dom";
import { Page } from "./page";
import { nameOf } from "./parts";
import { tableOf } from "./table";
import { timeText } from "./times";

export interface Pulled {
    name: string;
    url: string;
    profile: string;
    labels: Record<string, string>;
    state: "good" | "failing" | "new";
    problem: string | null;
    good_ns: number | null;
    stored: number;
    failed: number;
    refused: number;
    restarts: number;
}

const MOST = 200;
const ORDER = { failing: 0, new: 1, good: 2 };

// The section about them; nothing if the server fetches none.
export function pulledParts(page: Page, targets: Pulled[]): HTMLElement[] {
    if (targets.length === 0) {
        return [];
    }
    const failing = targets.filter(({ state }) => state === "failing").length;
    const rows = targets.slice().sort((a, b) => ORDER[a.state] - ORDER[b.state]).slice(0, MOST);
    const cut = rows.length < targets.length ? ` The first ${MOST} are listed.` : "";
    return [element("h2", {}, "Fetched profiles"), element("p", { className: "aside" },
        `The server fetches ${plural(targets.length, "profile")} from programs; ${failing === 0 ? "none fails" : `${formatCount(failing)} `
        + (failing === 1 ? "fails" : "fail")} now.` + cut), tableOf("Fetched profiles", [
        { title: "Program", kind: "method", cell: ({ url }) => [nameOf(url)] },
        { title: "Profile", kind: "text", cell: ({ profile }) => profile },
        { title: "Service", kind: "name", cell: ({ labels }) => [nameOf(labels.service)] },
        {
            title: "State", kind: "method", cell: ({ state, problem }) => (state === "failing"
                ? [element("span", { className: "partial" }, state), ": ", nameOf(problem ?? "")] : state),
        },
        {
            title: "Last good", kind: "text",
            cell: ({ good_ns: ns }) => (ns === null ? "never" : timeText(Math.floor(ns / 1e9), page.state.zone)),
        },
        { title: "Kept", kind: "number", cell: ({ stored }) => formatCount(stored) },
        {
            title: "Failed", kind: "number", hint: "no answer, or none that is a profile",
            cell: ({ failed, refused }) => formatCount(failed + refused),
        },
        { title: "Restarts", kind: "number", hint: "of the program, as its sums show", cell: ({ restarts }) => formatCount(restarts) },
    ], rows)];
}
