// Run inside a page by its tests: returns the lowest contrast (WCAG 2) of any visible text with its background, and where that text is.
function parse(colour) {
    const values = colour.match(/[\d.]+/g).map(Number);
    return values.length < 4 ? [...values, 1] : values;
}

function luminance([red, green, blue]) {
    const linear = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function behind(e) {
    for (; e; e = e.parentElement) {
        const colour = parse(getComputedStyle(e).backgroundColor);
        if (colour[3] === 1) {
            return colour;
        }
    }
    return [255, 255, 255, 1];
}

let least = [99, ""];
for (const e of document.querySelectorAll("body *")) {
    const own = e.tagName === "INPUT" || [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (!own || !e.checkVisibility() || e.closest(".spoken, script")) {
        continue;
    }
    const [low, high] = [luminance(parse(getComputedStyle(e).color)), luminance(behind(e))].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < least[0]) {
        least = [contrast, e.tagName + "#" + e.id + "." + e.className + " " + e.textContent.slice(0, 30)];
    }
}
return least;
