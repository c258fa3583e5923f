// Searches the site without a server: search-index.js, which is loaded at the first use, sets `sections` to [address, title, text] of every
// section.
"use strict";
(() => {
    const field = document.querySelector("input"), found = document.querySelector(".found"), article = document.querySelector("article");
    const root = document.body.dataset.root, most = 30;

    function load(then) {
        if (window.sections)
            return then();
        const script = document.createElement("script");
        script.src = root + "search-index.js";
        script.onload = then;
        document.head.append(script);
    }

    // A section has to contain the beginning of a word for each word that is asked for. A hit in the title counts most.
    function rank(section, words) {
        let sum = 0;
        for (const word of words) {
            const inTitle = word.test(section[1]), hits = section[2].match(word.all);
            if (!inTitle && !hits)
                return 0;
            sum += (inTitle ? 20 : 0) + Math.min(hits ? hits.length : 0, 5) / (1 + section[2].length / 2000);
        }
        return sum;
    }

    function pattern(word) {
        const source = "(?<![a-z])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), one = new RegExp(source, "i");
        one.all = new RegExp(source, "gi");
        return one;
    }

    function show(section, word) {
        const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
        link.href = root + section[0];
        link.textContent = section[1];
        const at = Math.max(0, section[2].search(word) - 60);
        text.textContent = (at ? "… " : "") + section[2].slice(at, at + 200) + " …";
        item.append(link, text);
        return item;
    }

    function search() {
        const words = field.value.trim().split(/\s+/).filter(Boolean).map(pattern);
        found.hidden = !words.length;
        article.hidden = !found.hidden;
        if (!words.length)
            return;
        const hits = window.sections.map(section => [rank(section, words), section]).filter(hit => hit[0] > 0);
        hits.sort((a, b) => b[0] - a[0]);
        found.replaceChildren(...hits.slice(0, most).map(hit => show(hit[1], words[0])));
        if (!hits.length)
            found.textContent = "No section has all these words.";
        if (hits.length > most)
            found.append(`${hits.length - most} more sections: add a word.`);
    }

    field.addEventListener("input", () => load(search));
    found.addEventListener("click", event => { // a hit on this very page
        if (event.target.closest("a")) {
            field.value = "";
            found.hidden = true;
            article.hidden = false;
        }
    });
    document.addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== field) {
            event.preventDefault();
            field.focus();
        } else if (event.key === "Enter" && document.activeElement === field && !found.hidden) {
            found.querySelector("a")?.click();
        }
    });
})();
