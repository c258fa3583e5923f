// Run inside a page by its tests: returns the faults of its layout, as texts. Faults are boxes of visible text that overlap, texts that are
// cut without an ellipsis, and anything outside the window. If the first argument is true, the page may be higher than the window.
const mayScroll = arguments[0] === true;
const faults = [];
const boxes = [];
const FOR_OVERLAP = ["BUTTON", "SELECT", "INPUT", "H1", "OUTPUT", "P", "SUMMARY"];
const MAY_BE_CUT = ["SELECT", "INPUT", "UL", "LI"];

function check(e) {
    const box = e.getBoundingClientRect();
    const style = getComputedStyle(e);
    if (!e.checkVisibility() || box.width === 0 || e.closest(".spoken, #room")) {
        return;
    }
    const where = e.tagName + "#" + (e.id || e.className) + " '" + e.textContent.slice(0, 30) + "'";
    const scrolls = e.closest("#methods, #lanes, dialog, #legend ul");
    const across = box.left < -0.5 || box.right > innerWidth + 0.5;
    if (!scrolls && (across || !mayScroll && (box.top < -0.5 || box.bottom > innerHeight + 0.5))) {
        faults.push("outside: " + where);
    }
    const cut = e.scrollWidth > e.clientWidth + 1 && style.display !== "inline" && !MAY_BE_CUT.includes(e.tagName);
    const hides = style.overflowX !== "visible" || e.childElementCount === 0;
    if (cut && hides && style.textOverflow !== "ellipsis") {
        faults.push("cut: " + where);
    }
    if (e.tagName === "TD" && e.scrollWidth > e.clientWidth + 1 && style.textOverflow !== "ellipsis") {
        faults.push("wider than its cell: " + where);
    }
    if (e.tagName === "BUTTON" && e.scrollHeight > e.clientHeight + 2) {
        faults.push("too low for its text: " + where);
    }
    if (!scrolls && FOR_OVERLAP.includes(e.tagName)) {
        boxes.push({ e, box, where });
    }
}

if (document.documentElement.scrollWidth > innerWidth) {
    faults.push("wider than the window: " + document.documentElement.scrollWidth);
}
document.querySelectorAll("button, select, input, label, h1, output, p, summary, li, th, td, .figure, dialog[open] *")
    .forEach(check);
boxes.forEach((one, i) => boxes.slice(i + 1).forEach((two) => {
    const x = Math.min(one.box.right, two.box.right) - Math.max(one.box.left, two.box.left);
    const y = Math.min(one.box.bottom, two.box.bottom) - Math.max(one.box.top, two.box.top);
    if (x > 0.5 && y > 0.5 && !one.e.contains(two.e) && !two.e.contains(one.e)) {
        faults.push("overlap: " + one.where + " and " + two.where);
    }
}));
return faults;
