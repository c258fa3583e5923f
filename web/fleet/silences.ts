// Silences of alerts: a form that begins one, and the list, in which a person can end those that last.
import { plural } from "../model/figures";
import { visibleName } from "../model/names";
import { element } from "../page/dom";
import { Page } from "./page";
import { nameOf, refusal } from "./parts";
import { tableOf } from "./table";
import { timeText } from "./times";

export interface Silence {
    id: number;
    created: number;
    until: number;
    lasts: boolean;
    rule: string | null;
    of: string | null;
    note: string | null;
    by: string | null;
    ended_by: string | null;
}

const DURATIONS: [string, string][] = [["30m", "30 minutes"], ["2h", "2 hours"], ["8h", "8 hours"], ["1d", "a day"], ["7d", "a week"]];
const MOST_OVER = 20; // rows of silences that are over
const LONGEST_NOTE = 500; // bytes that the server takes

export class Silences {
    readonly root = element("section", { className: "silences" });
    private readonly rule = element("select", {});
    private readonly of = element("input", { type: "text", placeholder: "any", size: 12 });
    private readonly length = element("select", {});
    private readonly note = element("input", { type: "text", placeholder: "for the others", size: 24, maxLength: LONGEST_NOTE });
    private readonly said = element("output", { className: "tested" });
    private readonly list = element("div", {});
    private page: Page | null = null;

    // changed: is called when the server has begun or ended a silence.
    constructor(private readonly changed: () => Promise<void>) {
        this.length.append(...DURATIONS.map(([word, title]) => new Option(title, word)));
        this.length.value = "2h";
        const form = element("form", { className: "row" }, element("label", {}, "Silence ", this.rule),
            element("label", {}, "of ", this.of), element("label", {}, "for ", this.length), element("label", {}, "because ", this.note),
            element("button", {}, "Begin"), this.said);
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            void this.begin();
        });
        const about = "While a silence lasts, its alerts are still evaluated, and not sent. An alert that fires at its end is sent then.";
        this.root.append(element("h2", {}, "Silences"), element("p", { className: "aside" }, about), form, this.list);
    }

    show(page: Page, rules: string[], silences: Silence[]): void {
        this.page = page;
        const { value } = this.rule;
        this.rule.replaceChildren(new Option("any rule", ""), ...rules.map((name) => new Option(visibleName(name), name)));
        this.rule.value = rules.includes(value) ? value : "";
        const lasting = silences.filter(({ lasts }) => lasts);
        const over = silences.filter(({ lasts }) => !lasts);
        const rows = [...lasting, ...over.slice(0, MOST_OVER)];
        this.list.replaceChildren(...(rows.length === 0 ? [] : [this.table(page, rows)]),
            ...(over.length <= MOST_OVER ? [] : [element("p", { className: "aside" },
                plural(over.length - MOST_OVER, "earlier silence") + ": candor fleet alerts --silences URL")]));
    }

    // Fills the form for an alert, and goes there.
    offer(rule: string, of: string | undefined): void {
        this.rule.value = rule;
        this.of.value = of ?? "";
        this.root.scrollIntoView({ block: "nearest" });
        this.note.focus();
    }

    private table(page: Page, rows: Silence[]): HTMLElement {
        const { zone } = page.state;
        return tableOf("Silences", [
            { title: "Silence", kind: "number", cell: ({ id }: Silence) => String(id) },
            { title: "Rule", kind: "name", cell: ({ rule }) => (rule === null ? "any" : [nameOf(rule)]) },
            { title: "Of", kind: "text", cell: ({ of }) => (of === null ? "any" : [nameOf(of)]) },
            { title: "From", kind: "text", cell: ({ created }) => timeText(created, zone) },
            { title: "Until", kind: "text", cell: ({ until }) => timeText(until, zone) },
            { title: "By", kind: "text", cell: ({ by }) => [nameOf(by ?? "–")] },
            { title: "Because", kind: "method", cell: ({ note }) => [nameOf(note === null || note === "" ? "–" : note)] },
            { title: "State", kind: "text", cell: (silence) => this.stateOf(silence) },
        ], rows);
    }

    private stateOf({ id, lasts, ended_by: ended }: Silence): (Node | string)[] {
        if (!lasts) {
            return ended === null ? ["over"] : ["ended by ", nameOf(ended)];
        }
        const end = element("button", { type: "button", ariaLabel: `End silence ${id}` }, "End");
        end.addEventListener("click", () => void this.tell("/v1/alerts/silences/end", { id }));
        return ["lasts ", element("span", { className: "actions" }, end)];
    }

    private async begin(): Promise<void> {
        await this.tell("/v1/alerts/silences",
            { rule: this.rule.value || null, of: this.of.value || null, for: this.length.value, note: this.note.value });
    }

    private async tell(path: string, body: unknown): Promise<void> {
        this.said.textContent = "";
        try {
            await this.page?.questions.post(path, body);
            await this.changed();
        } catch (error) {
            this.said.textContent = refusal(error, "the scopes read and write");
        }
    }
}
