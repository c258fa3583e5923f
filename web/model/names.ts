// Handles names of frames. Names are from the profiled program and are never trusted: they are only shown as text.

// Characters that are invisible, or that would change how the text around them is shown.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
// Text that a Java name does not have, but that a library, an operator, a C++ scope, or a part of a function that the compiler made has.
const NOT_JAVA = /[`!:\s]|\.so\b|\.(isra|part|constprop|cold|lto_priv|llvm|clone)(\.\d+)*$/;
// The names of hidden classes have two parts, for example "a.b.C$$Lambda$7.0x00007f0012345678".
const HIDDEN_CLASS = /^0x[0-9a-f]+$/;

// The name of a class, with which stacks of allocations and locks end: "java.lang.String". Methods and packages begin with small letters.
const CLASS = /(^|\.)[a-z]\w*\.[A-Z][\w$]*(\[\])*$/;

const NO_NAME = "(no name)";

// Replaces such characters in a name by escapes, for example "\u202e".
export function visibleName(name: string): string {
    return name.trim() === "" ? NO_NAME : name.replace(UNSEEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

// Removes the parameters and the return type, which follow the first parenthesis.
function bare(name: string): string {
    const end = name.indexOf("(", 1);
    return end > 0 ? name.slice(0, end) : name;
}

// Returns where "Class" and "method" begin in "a.b.Class.method". 0 = the name has no such part, for example a name of native code, or
// that of a class.
function joints(name: string): { type: number; method: number } {
    const text = bare(name);
    if (NOT_JAVA.test(text)) {
        return { type: 0, method: 0 };
    }
    const method = text.lastIndexOf(".");
    if (CLASS.test(text)) {
        return { type: method + 1, method: 0 };
    }
    const dotBefore = (dot: number) => (dot > 0 ? text.lastIndexOf(".", dot - 1) : -1);
    let type = dotBefore(method);
    if (type >= 0 && HIDDEN_CLASS.test(text.slice(type + 1, method))) {
        type = dotBefore(type);
    }
    return { type: type + 1, method: method + 1 };
}

// Splits "a.b.Class.method" into {method: "Class.method", package: "a.b"}. The package is "" if there is none.
export function splitName(name: string): { method: string; package: string } {
    const { type } = joints(name);
    return { method: name.slice(type), package: name.slice(0, Math.max(0, type - 1)) };
}

// Returns ever shorter forms of a name for ever narrower frames, the complete name first.
export function shorterNames(name: string): string[] {
    const { method, type } = joints(name);
    const forms = [name];
    if (type > 0) {
        forms.push(name.slice(type));
    }
    if (method > 0 && method < bare(name).length) {
        forms.push(bare(name).slice(method));
    }
    return forms;
}

// The kind of frames that show what a thread did while it had a lock, instead of its stack.
export const HOLDER_RUNS = "running holders";
export const JVM_WORK = "work of the JVM";

// Returns the group of a frame that is not Java code, by its type. Returns null for Java code.
export function kindOfCode(typeName: string): string | null {
    switch (typeName) {
        case "Kernel": return "kernel";
        case "Native": return "native code";
        case "Stub": return "JVM stubs";
        case "Failed": return "no stack";
        case "Pseudo": return JVM_WORK;
        case "Class": return "classes"; // classes of objects and locks, with which stacks end
        case "State": return HOLDER_RUNS;
        case "Missing": return "missing frames";
        case "Thread": return "threads";
        case "Folded": return "folded frames";
        default: return null;
    }
}

// Returns the Java package of a name, with at most `most` parts.
export function packageOf(name: string, most: number): string {
    const parts = bare(name).split(".");
    const firstClass = parts.findIndex((part) => /^[A-Z]/.test(part));
    const end = firstClass >= 0 ? firstClass : parts.length - 2;
    return end > 0 ? parts.slice(0, Math.min(end, most)).join(".") : "no package";
}
