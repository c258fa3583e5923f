// Functions: the methods of the whole fleet whose names contain a text, and the services in which they run.
import { formatInterval, formatShare, formatValue, plural } from "../model/figures";
import { splitName, visibleName } from "../model/names";
import { element } from "../page/dom";
import { FoundMethod, FunctionsAnswer } from "./api";
import { CPU_TIME, orderTypes, titleOfType } from "./kinds";
import { OneFunction, choicesOf, isOne, ruleAbout } from "./onefunction";
import { Page, View } from "./page";
import { emptyState, link, nameOf, skeleton } from "./parts";
import { selector, timesOf } from "./state";

const MOST = "100";
const MOST_SERVICES = 6;

export class Functions implements View {
    readonly word = "functions";
    readonly title = "Functions";
    readonly usesViewer = true;
    readonly usesSamples = true;
    readonly usesKind = true;
    readonly root = element("main", { className: "functions" });
    private readonly field = element("input", { type: "search", placeholder: "part of a name, or /pattern/", spellcheck: false });
    private readonly sentence = element("p", { className: "sentence" });
    private readonly content = element("div", {});
    private readonly one = new OneFunction(); // below the table, if the search means one function
    private answer: FunctionsAnswer | null = null;
    private page: Page | null = null;

    constructor() {
        const form = element("form", {}, element("label", {}, "Name ", this.field), " ", element("button", {}, "Find"));
        form.setAttribute("role", "search");
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.page?.change({ match: this.field.value.trim() });
        });
        this.root.append(element("div", { className: "row" }, element("h1", {}, "Functions"), form), this.sentence, this.content,
            this.one.root);
        this.one.root.hidden = true;
        this.content.append(skeleton(5));
    }

    async load(page: Page): Promise<void> {
        this.page = page;
        const { state, questions, services } = page;
        const type = state.type || (orderTypes(services.flatMap((one) => Object.keys(one.types)))[0] ?? CPU_TIME);
        this.field.value = state.match;
        this.one.root.hidden = !isOne(state.match);
        this.answer = state.match === "" ? null : await questions.ask<FunctionsAnswer>("/v1/functions",
            { ...timesOf(state), select: selector({ ...state, service: "" }), type, match: state.match, by: "service", limit: MOST });
        const [first, second] = this.answer?.methods ?? [];
        const one = isOne(state.match) && first && !second ? first : null;
        this.one.root.hidden = one === null;
        if (!one) {
            page.viewer.hide();
        }
        this.draw(page);
        page.partial([this.answer?.missing_text, ...(one ? await this.one.load(page, type, one) : [])]);
    }

    draw(page: Page): void {
        const { answer } = this;
        if (!answer || answer.methods.length === 0) {
            this.sentence.textContent = "";
            this.content.replaceChildren(answer
                ? emptyState("No method's name contains this", "Upper and lower case differ. Try a shorter part, or a longer time.", "")
                : emptyState("Find a method", "Type a part of its name: the table lists the services in which it runs, and its cost.", ""));
            return;
        }
        const { found, type } = answer;
        const [, unit] = type.split(":");
        const [first] = answer.methods;
        const isOnly = isOne(page.state.match) && answer.methods.length === 1;
        const total = formatValue(found.total, unit) + " of " + titleOfType(type);
        const self = formatValue(found.self, unit) + " of it in the ";
        this.sentence.replaceChildren(...(isOnly ? [nameOf(first.name), ` runs in ${plural(first.groups.length, "service")}: ${total}, `
            + `${self}method itself.`] : [`${plural(found.methods, "method")}: together ${total}, ${self}methods themselves.`
            + (answer.methods_left_out > 0 ? ` The first ${MOST} are shown.` : "")]));
        const heads = ["Method", "Self", "Total", "In services", "Alert"].map((text, i) =>
            element("th", { scope: "col", className: i === 1 || i === 2 ? "number" : "" }, text));
        this.one.draw(page);
        this.content.replaceChildren(element("table", { className: "fleet" },
            element("caption", { className: "spoken" }, "Methods and what they cost"),
            element("thead", {}, element("tr", {}, ...heads)),
            element("tbody", {}, ...answer.methods.map((method) => this.line(page, method)))));
    }

    private line(page: Page, method: FoundMethod): HTMLTableRowElement {
        const { name, groups } = method;
        const { method: short, package: ofPackage } = splitName(name);
        const share = (of: number, low: number, high: number) =>
            [formatShare(of), element("span", { className: "quiet" }, " (" + formatInterval([low, high]) + ")")];
        const graph = new URLSearchParams({ query: name }).toString();
        const services = groups.slice(0, MOST_SERVICES).map(({ labels: { service }, total_share: part }) => {
            const href = page.link({ view: "service", service, part: "", by: "", hidden: [], graph });
            return element("span", { className: "in" }, link(nameOf(service), href), " " + formatShare(part));
        });
        const cells: [string, (Node | string)[]][] = [
            ["Method", [link(nameOf(short), page.link({ ...choicesOf(name), by: "" }),
                "Over time, by version and endpoint, with its callers"),
                ...(ofPackage === "" ? [] : [element("span", { className: "quiet" }, " " + visibleName(ofPackage))])]],
            ["Self", share(method.self_share, method.self_low, method.self_high)],
            ["Total", share(method.total_share, method.total_low, method.total_high)],
            ["In services", [...services, groups.length > MOST_SERVICES ? " and " + (groups.length - MOST_SERVICES) + " more" : ""]],
            ["Alert", [link("Alert", page.link({ view: "alerts", rule: "", draft: ruleAbout(name, this.answer?.type ?? CPU_TIME) }),
                "Write a rule about this method, with a preview")]],
        ];
        return element("tr", {}, ...cells.map(([label, content], i) => {
            const cell = element("td", { className: i === 0 ? "column-name" : i < 3 ? "number" : "column-method" }, ...content);
            cell.dataset.label = label;
            return cell;
        }));
    }
}
