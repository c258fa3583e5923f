// Shared by every view of the page.
import { Service, Questions } from "./api";
import { Span, State } from "./state";
import { Embedded } from "./viewer";

export interface Page {
    readonly state: State;
    readonly questions: Questions; // of the present picture; they end when another one is asked for
    readonly services: Service[]; // of the selection and the time
    readonly viewer: Embedded;
    readonly span: Span; // the subject of the picture
    // Changes choices and shows what follows. `remembered`: the back button returns to the choices before.
    change(what: Partial<State>, remembered?: boolean): void;
    // Returns the address of the page with other choices.
    link(what: Partial<State>): string;
    // Describes the subject of a picture. A relative time becomes absolute as soon as the user chooses something that exists only in this
    // data.
    isOf(span: Span): void;
    // Says which data the picture lacks; "" = none.
    partial(texts: (string | undefined)[]): void;
}

export interface View {
    readonly word: string; // in the address
    readonly title: string;
    readonly root: HTMLElement;
    readonly usesKind: boolean; // whether the kind of sample that is chosen in the bar counts
    readonly usesViewer: boolean;
    readonly usesSamples: boolean; // whether labels of samples, such as the endpoint, select what it shows
    // Begins questions that `load` will probably put, while it is not known yet which services there are.
    expect?(page: Page): void;
    // Asks the server, and draws. Throws if there is no answer; the picture before stays then.
    load(page: Page): Promise<void>;
    // Draws the loaded data again, after a change of choices that need no other data.
    draw(page: Page): void;
}

// Choices that need no other data.
export const LIGHT: (keyof State)[] = ["zone", "hidden", "filter", "sort", "measure", "calls", "graph"];
