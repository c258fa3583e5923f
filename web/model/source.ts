// Makes the address of a method's source from the user's template. It is separate from the page so that tests can try hostile names and
// templates without a browser.
import { splitName } from "./names";

// Only addresses of these kinds become links: none of them can run a script in the page.
const SCHEMES = /^(https?|vscode|vscodium|vscode-insiders|cursor|zed|idea|jetbrains|subl|txmt|emacs|mvim):\/\//i;
const CLASS_NAME = /^\p{Lu}[\p{L}\p{N}_]*$/u; // by convention: names of libraries and native functions have dots, too

// Encodes a part of an address. Halves of surrogate pairs, which a hostile name may have, have no encoding.
function encoded(text: string): string {
    return encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd"));
}

function isTemplate(template: string): boolean {
    return SCHEMES.test(template);
}

// Returns the address, or "" if the template is none, or the frame is no method of a Java class with a file of its own name.
export function sourceOf(template: string, name: string): string {
    const { method, package: folder } = splitName(name.replace(/\(.*/, ""));
    const dot = method.lastIndexOf(".");
    const outer = method.slice(0, Math.max(0, dot)).replace(/[$./].*$/, "");
    if (!isTemplate(template) || !CLASS_NAME.test(outer)) {
        return "";
    }
    const parts = folder === "" ? [] : folder.split(".");
    const values: Record<string, string> = {
        path: [...parts, outer + ".java"].map(encoded).join("/"),
        class: encoded([...parts, outer].join(".")),
        method: encoded(method.slice(dot + 1)),
    };
    return template.replace(/\{(path|class|method)\}/g, (_, key: string) => values[key]);
}
