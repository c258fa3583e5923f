// Who may do what at the server, and when they last did something. The server tells it to tokens with the scope admin.
import { formatCount, formatValue } from "../model/figures";
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

interface TokensAnswer {
    required: boolean;
    tokens: Token[];
}

const NONE: Parameters = {};

// Returns the section's content.
export async function askTokens(page: Page): Promise<HTMLElement[]> {
    const said = (text: string) => [element("p", { className: "aside" }, text)];
    try {
        const { required, tokens } = await page.questions.ask<TokensAnswer>("/v1/tokens", NONE);
        return required ? [tableOf("Tokens", columns(page.state.zone), tokens)]
            : said("This server asks for no token: all who reach its port may do everything.");
    } catch (error) {
        return said(error instanceof AnswerError && error.status === FORBIDDEN ? "Not permitted: this needs a token with the scope admin, "
            + "for all services." : String(error));
    }
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
