// Small helpers for the document. Text is always inserted as text.

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
    return document.getElementById(id) as T;
}

// Makes an element, for example: element("td", {className: "number", title: "..."}, "text", anotherElement)
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]>,
    ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

// Does work that may hide or replace the focused element. If it does, `next` gets the focus, so that keys still work.
export function keepFocus(work: () => void, next: () => HTMLElement): void {
    const had = document.activeElement !== document.body;
    work();
    const { activeElement: now } = document;
    if (had && (!(now instanceof HTMLElement) || now === document.body || now.offsetParent === null)) {
        next().focus({ preventScroll: true });
    }
}

// Does work that replaces links and buttons in `root`. If the focused one goes, the one in its place gets the focus. An element that is
// only put in again keeps it.
export function keepPlace(root: HTMLElement, work: () => void): void {
    const all = () => [...root.querySelectorAll<HTMLElement>("a, button")];
    const had = document.activeElement as HTMLElement;
    const isInside = root.contains(had);
    const at = isInside ? all().indexOf(had) : -1;
    work();
    if (isInside && root.contains(had)) {
        had.focus({ preventScroll: true });
    } else if (at >= 0 && !root.contains(document.activeElement)) {
        const left = all();
        left[Math.min(at, left.length - 1)]?.focus({ preventScroll: true });
    }
}

// Returns a function that does work after the next picture was drawn, unless it gets other work before that.
export function afterPicture(): (work: () => void) => void {
    let latest = 0;
    return (work) => {
        const mine = ++latest;
        requestAnimationFrame(() => requestAnimationFrame(() => {
            if (mine === latest) {
                work();
            }
        }));
    };
}

// Returns a function that does the work once before the next picture, however often it is called.
export function oncePerPicture(work: () => void): () => void {
    let asked = false;
    return () => {
        if (!asked) {
            asked = true;
            requestAnimationFrame(() => {
                asked = false;
                work();
            });
        }
    };
}
