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

    const unimportant = new Set(("a an and are as at be by can candor do does for from get have how i if in into is it me my of on one " +
        "or should so than that the their there this to use vs was what when where which who why will with work you").split(" "));
    const ending = /(?<=[a-z]{4})(?:ing|ions?|e[ds]?|ly|s)$/; // "pauses" finds "pause" and "paused"

    // The words that matter: a question may be typed as it is asked.
    function wordsOf(question) {
        const all = question.toLowerCase().split(/[^\p{L}\p{N}_.\/:-]+/u).map(word => word.replace(/[.:]+$/, "")).filter(Boolean);
        const words = all.filter(word => !unimportant.has(word));
        return (words.length ? words : all).map(pattern);
    }

    const plain = text => " " + text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean).join(" ") + " ";

    // How well each section answers, by Okapi BM25: rare words count more, long sections less. A hit in the title counts more than
    // any number in the text, and a title that has the question as it was typed counts double. A section that lacks some of the words
    // counts less, and so does a page that is not for users.
    function rank(sections, words, question) {
        const titled = sections.map(([, title]) => words.map(word => word.test(title) ? 3 : 0));
        const hits = sections.map(([, , text], place) => words.map((word, i) => (text.match(word.all) || []).length + titled[place][i]));
        const rarity = words.map((_, i) => Math.log(1 + sections.length / (1 + hits.filter(counts => counts[i]).length)));
        const mean = sections.reduce((sum, section) => sum + section[2].length, 0) / sections.length;
        return sections.map((section, place) => {
            const size = 0.25 + 0.75 * section[2].length / mean, having = hits[place].filter(Boolean).length;
            const fit = hits[place].reduce((sum, count, i) => sum + rarity[i] * (titled[place][i] + count * 2.2 / (count + 1.2 * size)), 0);
            const forUsers = /^(docs\/[^/]*|docs\/tutorials\/.*|index)\.html/.test(section[0]) ? 1 : 0.4;
            const literal = plain(section[1]).includes(plain(question)) ? 2 : 1;
            return {section, having, fit: fit * forUsers * literal * (having / words.length) ** 2};
        });
    }

    function pattern(word) {
        const source = "(?<![a-z])" + word.replace(ending, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), one = new RegExp(source, "i");
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
        const words = wordsOf(field.value);
        found.hidden = !words.length;
        article.hidden = !found.hidden;
        if (!words.length)
            return;
        const hits = rank(window.sections, words, field.value).filter(hit => hit.having).sort((a, b) => b.fit - a.fit);
        found.replaceChildren(...hits.slice(0, most).map(hit => show(hit.section, words[0])));
        if (!hits.length)
            found.textContent = "No section has any of these words.";
        else if (!hits.some(hit => hit.having === words.length))
            found.prepend("No section has all of these words; those that fit best come first.");
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
