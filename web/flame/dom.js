// Small helpers around the document. Text always enters it as text.

export function byId(id) {
    return document.getElementById(id);
}

// element("td", {className: "number", title: "..."}, "text", anotherElement)
export function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}


// Calls the function once before the next picture, however often it is asked to.
export function oncePerPicture(work) {
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
