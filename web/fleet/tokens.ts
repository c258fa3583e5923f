// Who may do what at the server, and when they last did something. The server tells it to tokens with the scope admin.
import { formatCount, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { element } from "../page/dom";
import { AnswerError, FORBIDDEN, Parameters } from "./api";
import { Page } from "./page";
import { nameOf } from "./parts";
import { Column, tableOf } from "./table";
import { timeText } from "./times";

interface Token {
    name: string;
    kind: string;
    scopes: string[];
    services: string;
    limits: Record<string, number>;
    requests: number;
    bytes: number;
    last_used: number | null; // seconds since the epoch
}

export interface TokensAnswer {
    required: boolean;
    tokens: Token[];
}

const NONE: Parameters = {};

// Returns the answer, or why there is none.
export function askTokens(page: Page): Promise<TokensAnswer | string> {
    return page.questions.ask<TokensAnswer>("/v1/tokens", NONE).catch((error: unknown) =>
        (error instanceof AnswerError && error.status === FORBIDDEN ? "Not permitted: this needs a token with the scope admin, "
            + "for all services." : String(error)));
}

// The section's content.
export function tokenParts({ state }: Page, answer: TokensAnswer | string): HTMLElement[] {
    if (typeof answer !== "string" && answer.required) {
        return [tableOf("Tokens", columns(state.zone), answer.tokens)];
    }
    return [element("p", { className: "aside" }, typeof answer === "string" ? visibleName(answer)
        : "This server asks for no token: all who reach its port may do everything.")];
}

function columns(zone: string): Column<Token>[] {
    const limits = (of: Record<string, number>) => Object.entries(of).map(([option, most]) => option + "=" + most).join(", ");
    return [
        { title: "Name", kind: "name", cell: ({ name }) => [nameOf(name)] },
        { title: "Kind", kind: "text", cell: ({ kind }) => kind, hint: "how the server recognizes its holder" },
        { title: "May", kind: "text", cell: ({ scopes }) => scopes.join(", ") },
        { title: "Services", kind: "text", cell: ({ services }) => (services === "*" ? "all" : [nameOf(services)]) },
        { title: "Limits", kind: "text", cell: ({ limits: of }) => [nameOf(limits(of) || "–")] },
        { title: "Requests", kind: "number", hint: "since the server's start", cell: ({ requests }) => formatCount(requests) },
        { title: "Sent", kind: "number", hint: "recordings, since the server's start", cell: ({ bytes }) => formatValue(bytes, "bytes") },
        {
            title: "Last used", kind: "text", cell: ({ last_used: last }) =>
                (last === null ? "not since the server's start" : timeText(last, zone)),
        },
    ];
}
