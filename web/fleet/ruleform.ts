// The editor of a rule of alerts: a form and the text of the file, each following the other. "Save" puts the text into the server's file.
import { element } from "../page/dom";
import { visibleLines } from "./parts";
import { Draft, parseDraft, textOf, valueOf, withKey } from "./rules";

interface Field {
    key: string;
    title: string;
    hint: string;
    choices?: string[];
}

const VALUES = ["cores", "rate", "self", "total", "change"];
const FIELDS: Field[] = [
    { key: "name", title: "Name", hint: "letters, digits, . _ -" },
    { key: "select", title: "Recordings", hint: 'labels, such as env="live"; empty = all' },
    { key: "each", title: "An alert for each", hint: "a label, such as service or host" },
    { key: "value", title: "Value", hint: "cores, a method's share, or a key metric", choices: VALUES },
    { key: "method", title: "Method", hint: "for self, total and change: a pattern of names" },
    { key: "above", title: "Fires above", hint: "a share such as 5%, or a number" },
    { key: "below", title: "or below", hint: "a share such as 5%, or a number" },
    { key: "resolve", title: "Ends at", hint: "empty = the same threshold" },
    {
        key: "baseline", title: "Relative to", hint: "the value is a ratio to that of the window before, or of earlier days or weeks",
        choices: ["", "previous", "day", "7 days", "week", "4 weeks"],
    },
    { key: "window", title: "Window", hint: "the length of time that is judged, such as 5m" },
    { key: "for", title: "Must last", hint: "before it fires, such as 10m" },
    { key: "quiet", title: "Quiet times (UTC)", hint: "such as 22:00-06:00; Sat-Sun" },
    { key: "to", title: "Sent to", hint: "names of targets; empty = all" },
];

export class RuleForm {
    readonly root = element("section", { className: "rule-form" });
    private readonly fields = new Map<string, HTMLInputElement | HTMLSelectElement>();
    private readonly text = element("textarea", { rows: 12, spellcheck: false });
    private readonly metrics = element("datalist", { id: "rule-values" });
    private draft: Draft = { name: "", keys: [] };
    private readonly status = element("output", { className: "quiet" });
    private readonly save = element("button", { type: "button" });
    private readonly asNew = element("button", { type: "button", hidden: true }, "Save as a new rule");
    private readonly other = element("section", { hidden: true });
    private rules: string[] = []; // the names of those that the server has
    private edited = ""; // the name of the rule that was opened to be edited; "" = none

    // preview: is called with the text that is to be tried; save: with the one that is to be saved, its name,
    // and that of the rule that it replaces, or null. It returns what to tell.
    constructor(preview: (text: string) => void, close: () => void,
        save: (text: string, name: string, replaces: string | null) => Promise<string>) {
        const grid = element("div", { className: "fields" }, ...FIELDS.map((field) => this.makeField(field)), this.metrics);
        const button = (title: string, hint: string, work: () => void) => {
            const made = element("button", { type: "button", title: hint }, title);
            made.addEventListener("click", work);
            return made;
        };
        this.text.addEventListener("input", () => this.show(parseDraft(this.text.value), false));
        this.root.append(element("h2", {}, "A rule"), element("div", { className: "editor" }, grid,
            element("label", { className: "as-text" }, "As text", this.text)),
            element("p", { className: "row" },
                button("Preview over last week", "When this rule would have fired", () => preview(this.text.value)),
                this.save, this.asNew,
                button("Copy", "The text of the rule", () => void this.copy()),
                button("Download", "The text of the rule as a file", () => this.download()),
                button("Close", "The text is not kept", close), this.status),
            element("p", { className: "aside" }, "Save writes the rule into the file of candor server --alerts, and leaves the rest of it "
                + "as it is. If the server uses tokens, this needs one with the scopes read and write."), this.other);
        const saves = (button: HTMLButtonElement, replaced: () => string | null) => button.addEventListener("click", () => {
            this.save.disabled = this.asNew.disabled = true;
            this.status.textContent = "Saving…";
            void save(this.text.value, this.draft.name, replaced()).then((told) => {
                this.status.textContent = told;
                this.save.disabled = this.asNew.disabled = false;
            });
        });
        saves(this.save, () => this.replaced);
        saves(this.asNew, () => null);
        this.nameSave();
    }

    // Shows the text that somebody else has saved meanwhile.
    showOther(text: string): void {
        this.other.hidden = text === "";
        this.other.replaceChildren(element("h3", {}, "The rule as it is now"), element("pre", { tabIndex: 0, className: "rule-text" },
            visibleLines(text)));
    }

    offer(metrics: string[]): void {
        this.metrics.replaceChildren(...[...VALUES, ...metrics].map((value) => element("option", { value })));
    }

    // Says which rules the server has, and which of them is edited: saving replaces that one, or else the one of the same name.
    know(rules: string[], edited: string): void {
        this.rules = rules;
        this.edited = rules.includes(edited) ? edited : "";
        this.nameSave();
    }

    // The name of the rule that saving replaces, or null.
    private get replaced(): string | null {
        return this.edited !== "" ? this.edited : this.rules.includes(this.draft.name) ? this.draft.name : null;
    }

    private nameSave(): void {
        const { edited, replaced, draft: { name } } = this;
        const renames = edited !== "" && name !== edited && name !== "";
        this.save.textContent = renames ? `Save, and rename ${edited} to ${name}` : replaced === null ? "Save as a new rule"
            : edited !== "" ? "Save" : "Save: replaces the rule of this name";
        this.asNew.hidden = !renames || this.rules.includes(name);
    }

    get value(): string {
        return this.text.value;
    }

    open(text: string): void {
        if (text !== this.text.value) {
            this.showOther("");
            this.text.value = text;
            this.show(parseDraft(text), false);
        }
    }

    private makeField({ key, title, hint, choices }: Field): HTMLElement {
        const field = choices && key !== "value" ? element("select", {}, ...choices.map((one) => new Option(one || "nothing", one)))
            : element("input", { type: "text", spellcheck: false, autocomplete: "off" });
        if (key === "value") {
            field.setAttribute("list", "rule-values");
        }
        field.dataset.key = key;
        const id = "rule-hint-" + key;
        field.setAttribute("aria-describedby", id);
        field.addEventListener("input", () => this.show(key === "name" ? { ...this.draft, name: field.value.trim() }
            : withKey(this.draft, key, field.value), true));
        this.fields.set(key, field);
        return element("label", {}, element("span", {}, title), field, element("span", { className: "quiet", id }, hint));
    }

    // Shows a draft. typed: in the form, so the text follows; otherwise the form follows.
    private show(draft: Draft, typed: boolean): void {
        this.draft = draft;
        this.nameSave();
        if (typed) {
            this.text.value = textOf(draft);
            return;
        }
        this.fields.forEach((field, key) => { field.value = key === "name" ? draft.name : valueOf(draft, key); });
    }

    private async copy(): Promise<void> {
        try {
            await navigator.clipboard.writeText(this.text.value);
            this.status.textContent = "Copied.";
        } catch {
            this.text.select();
            this.status.textContent = "The text is selected: copy it with the keyboard.";
        }
    }

    private download(): void {
        const address = URL.createObjectURL(new Blob([this.text.value], { type: "text/plain" }));
        element("a", { href: address, download: (this.draft.name || "rule").replace(/[^\w.-]/g, "_") + ".conf" }).click();
        URL.revokeObjectURL(address);
    }
}
