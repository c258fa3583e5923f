// Fits names into frames. A label is the longest form of a name that is completely readable, or a part of it that ends in an ellipsis.
import { shorterNames, visibleName } from "../model/names";

const ELLIPSIS = "…";
const LEAST_CHARACTERS = 2;
// No screen shows more characters of a name, so longer names need not be measured to their end.
const LONGEST = 2000;
const ASCII_ONLY = /^[ -~]*$/;

// Splits a text into the units that a reader takes for one character, so that no emoji or accent is split.
const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter() : null;

function characters(text: string): string[] {
    return segmenter ? Array.from(segmenter.segment(text), (s) => s.segment) : Array.from(text);
}

interface Form {
    text: string;
    width: number;
}

export class Labels {
    private strings: string[] = [];
    private ascii = new Float64Array(128);
    private ellipsis = 0;
    private formsOf = new Map<number, Form[]>();
    private others = new Map<string, number>();

    // The context's font must be set before reset() is called. It must not change until the next reset().
    constructor(private readonly context: CanvasRenderingContext2D) {
        this.reset();
    }

    // Sets the strings to which the numbers of names refer from now on.
    name(strings: string[]): void {
        if (strings !== this.strings) {
            this.strings = strings;
            this.formsOf = new Map();
        }
    }

    // Forgets all widths, because the font has changed.
    reset(): void {
        for (let code = 32; code < 127; code++) {
            this.ascii[code] = this.context.measureText(String.fromCharCode(code)).width;
        }
        this.ellipsis = this.context.measureText(ELLIPSIS).width;
        this.formsOf = new Map();
        this.others = new Map();
    }

    // Returns the width of a text. Kerning is off, so the width of plain text is the sum of the widths of its characters.
    private width(text: string): number {
        if (ASCII_ONLY.test(text)) {
            let sum = 0;
            for (let i = 0; i < text.length; i++) {
                sum += this.ascii[text.charCodeAt(i)];
            }
            return sum;
        }
        let width = this.others.get(text);
        if (width === undefined) {
            width = this.context.measureText(text).width;
            this.others.set(text, width);
        }
        return width;
    }

    // Returns the forms of a name with their widths, the longest first.
    private forms(name: number): Form[] {
        let forms = this.formsOf.get(name);
        if (!forms) {
            forms = shorterNames(this.strings[name].slice(0, LONGEST)).map((form) => {
                const text = visibleName(form);
                return { text, width: this.width(text) };
            });
            if (this.strings[name].length > LONGEST) {
                forms = [{ text: forms[0].text, width: Infinity }];
            }
            this.formsOf.set(name, forms);
        }
        return forms;
    }

    // Returns the text that fits into `width` pixels. It may be "".
    fit(name: number, width: number): string {
        const forms = this.forms(name);
        const whole = forms.find((form) => form.width <= width);
        return whole ? whole.text : this.cut(forms[forms.length - 1].text, width);
    }

    private cut(text: string, width: number): string {
        const room = width - this.ellipsis;
        if (room <= 0) {
            return "";
        }
        const parts = ASCII_ONLY.test(text) ? null : characters(text);
        const kept = parts ? this.cutMeasured(parts, room) : this.cutPlain(text, room);
        if (kept < LEAST_CHARACTERS) {
            return "";
        }
        return (parts ? parts.slice(0, kept).join("") : text.slice(0, kept)) + ELLIPSIS;
    }

    private cutPlain(text: string, room: number): number {
        let kept = 0;
        for (let sum = 0; kept < text.length; kept++) {
            sum += this.ascii[text.charCodeAt(kept)];
            if (sum > room) {
                break;
            }
        }
        return kept;
    }

    private cutMeasured(parts: string[], room: number): number {
        let fits = 0;
        let fails = parts.length + 1;
        while (fails - fits > 1) {
            const middle = (fits + fails) >>> 1;
            if (this.context.measureText(parts.slice(0, middle).join("")).width <= room) {
                fits = middle;
            } else {
                fails = middle;
            }
        }
        return fits;
    }
}
