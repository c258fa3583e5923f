// Types questions into the search of the site, and prints for each one the addresses that it lists, as a JSON array a line.
// usage: node site_search.js SITE QUESTION...
// It runs the site's own search.js, with just as much of a browser as that script uses.
"use strict";
const fs = require("fs"), vm = require("vm");

class Element {
    constructor() {
        this.listeners = {};
        this.items = [];
    }
    addEventListener(type, listener) { this.listeners[type] = listener; }
    append(...items) { this.items.push(...items); }
    prepend(...items) { this.items.unshift(...items); }
    replaceChildren(...items) { this.items = items; }
}

const [site, ...questions] = process.argv.slice(2);
const parts = {input: new Element(), ".found": new Element(), article: new Element()};
const document = Object.assign(new Element(), {
    body: {dataset: {root: ""}}, querySelector: selector => parts[selector], createElement: () => new Element(),
});
const page = vm.createContext({window: {}, document});
vm.runInContext(fs.readFileSync(`${site}/search-index.js`, "utf8"), page);
vm.runInContext(fs.readFileSync(`${site}/search.js`, "utf8"), page);
for (const question of questions) {
    parts.input.value = question;
    parts.input.listeners.input();
    console.log(JSON.stringify(parts[".found"].items.filter(item => item.items).map(item => item.items[0].href)));
}
