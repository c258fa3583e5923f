// Makes elements of SVG, as page/dom.ts makes those of HTML. Text is always inserted as text.
const SVG = "http://www.w3.org/2000/svg";

export function svg(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
    const made = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, String(value)));
    made.textContent = text;
    return made;
}
