#!/usr/bin/env python3
"""The pages for users can be read: short sentences, few in passive voice, and words that a dictionary or our lists have.

The bounds are a little above the pages as they are, so a page that becomes harder to read is noticed. A term of Candor belongs into
docs/internals/words.md; a word of the field or the name of a product into vocabulary.txt beside this file.

tier: quick
timeout: 60
sanitize: no
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pages

DICTIONARY = pathlib.Path("/usr/share/dict/american-english")
LONGEST = 45  # words of a sentence
MEAN = 19  # words of a page's sentences
PASSIVE = 0.36  # of a page's sentences
PASSIVE_FORM = re.compile(r"\b(?:is|are|was|were|be|been|being) (?:\w+ly )?(?:\w+ed|made|kept|shown|known|written|read|sent|found|taken|"
                          r"given|begun|built|held|seen|lost)\b")
WORD = re.compile(r"(?<![\w./_-])[A-Za-z][a-z]{3,}(?![\w_(]|\.\w)")
# Spellings and constructions that docs/internals/words.md rules out.
BANNED = re.compile(r"\b(?:colour|behaviour|synchronis\w+|analyse[sd]?|favour|licence|whoever|shall|utiliz\w+|simply|obviously)\b",
                    re.IGNORECASE)


def vocabulary():
    own = (pathlib.Path(__file__).parent / "vocabulary.txt").read_text()
    terms = (ct.ROOT / "docs/internals/words.md").read_text()
    return {word.lower() for text in (DICTIONARY.read_text(), own, terms) for word in re.findall(r"[A-Za-z]+", text)}


def check_page(page, known):
    text = page.read_text()
    sentences = pages.sentences(text)
    lengths = [len(sentence.split()) for sentence in sentences]
    name = page.relative_to(ct.ROOT)
    long = [sentence for sentence, length in zip(sentences, lengths) if length > LONGEST]
    ct.ok(not long, f"{name}: no sentence is longer than {LONGEST} words", long)
    mean = sum(lengths) / len(lengths)
    ct.ok(mean <= MEAN, f"{name}: sentences have {mean:.1f} words, at most {MEAN}")
    passive = [sentence for sentence in sentences if PASSIVE_FORM.search(sentence)]
    ct.ok(len(passive) <= max(3, PASSIVE * len(sentences)), f"{name}: {len(passive)} of {len(sentences)} sentences are passive", passive)
    prose = " ".join(pages.paragraphs(text))
    unknown = {word for word in WORD.findall(prose) if word.lower() not in known}
    banned = BANNED.findall(prose)
    ct.ok(not unknown and not banned, f"{name}: the words are known", (sorted(unknown), banned))


def main():
    ct.need(DICTIONARY)
    known = vocabulary()
    everything = pages.for_users()
    ct.ok(len(everything) > 20, f"{len(everything)} pages")
    for page in everything:
        check_page(page, known)
    ct.done()


main()
