// Shows the source lines of the selected frame's method with what each costs, if the page was made with them.
import { formatShare, formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { App } from "./app";
import { byId, element } from "./dom";

const LONGEST_NAME = 500;

export function hasLines(app: App): boolean {
    return app.profile.sources.has(app.selectedName);
}

// Makes invisible characters visible, so that a line cannot be read in another order than it was written.
function visibleLine(text: string): string {
    const code = text.trimStart();
    return text.slice(0, text.length - code.length) + (code === "" ? "" : visibleName(code));
}

export function showLines(app: App): void {
    const { profile, selectedName } = app;
    const found = profile.sources.get(selectedName);
    if (!found) {
        return;
    }
    const most = found.lines.reduce((largest, { total }) => Math.max(largest, total), 1);
    const share = (weight: number) => (weight > 0 ? formatShare(weight / profile.total) : "");
    byId("lines-heading").textContent = "Source lines of " + visibleName(profile.strings[selectedName]).slice(0, LONGEST_NAME);
    byId("lines-about").textContent = visibleName(found.file).slice(0, LONGEST_NAME) + ". Shares are of " + (profile.whole || "all weight")
        + ", of the whole recording. The colored bars compare the lines of this method."
        + (found.beyond > 0 ? " This is not the source of the program that was recorded: " + found.beyond
            + (found.beyond === 1 ? " line with samples is" : " lines with samples are") + " behind its end." : "");
    byId("lines-body").replaceChildren(...found.lines.map(({ number, self, total, text }, i) => {
        const source = element("td", {}, visibleLine(text));
        source.style.setProperty("--share", String(total / most));
        const row = element("tr", { className: total > 0 ? "" : "plain", title: total > 0 ? formatValue(total, profile.unit) : "" },
            element("td", {}, share(total)), element("td", {}, share(self)), element("td", {}, String(number)), source);
        row.classList.toggle("gap", i > 0 && number > found.lines[i - 1].number + 1);
        return row;
    }));
    byId<HTMLDialogElement>("lines-dialog").showModal();
    byId("lines-heading").focus();
}
