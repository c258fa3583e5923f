"""The repository's pages in Markdown: what of a page is prose, what is code, where its links lead."""
import collections
import re
import subprocess

import candortest as ct

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INLINE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*[-*] |\s*\d+\. |\||#)")
SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[:;])\s+(?=[A-Z(`*])")


def every():
    """All pages, but those that others wrote or that a program writes."""
    names = subprocess.run(["git", "-C", ct.ROOT, "ls-files", "*.md"], check=True, capture_output=True, text=True).stdout.split()
    return [ct.ROOT / name for name in names if (ct.ROOT / name).is_file()]


def for_users():
    """The pages that people read who run Candor."""
    return [page for page in every() if page.parent in (ct.ROOT, ct.ROOT / "docs", ct.ROOT / "docs/tutorials") and
            page.name != "CHANGELOG.md"]


def code(text):
    """The contents of fenced and indented blocks and of `code` in prose."""
    rest = FENCE.sub("", text)
    return [block for _, block in FENCE.findall(text)] + re.findall(r"(?:^ {4}.*\n)+", rest, re.MULTILINE) + INLINE.findall(rest)


def links(text):
    return LINK.findall(INLINE.sub("", FENCE.sub("", text)))


def anchors(text):
    """The names that headings get, as GitHub forms them: the second of two equal ones ends with -1."""
    names = collections.Counter()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        yield f"{name}-{names[name]}" if names[name] else name
        names[name] += 1


def paragraphs(text):
    """Prose without headings, tables and code. `code` becomes the word X, a link its text."""
    text = re.sub(r"(^ {4}.*\n)+", "\n", COMMENT.sub("", FENCE.sub("\n", text)), flags=re.MULTILINE)
    for block in BLOCKS.split(text):
        if block.strip() and not block.lstrip().startswith(("#", "|")):
            block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", INLINE.sub("X", block))
            yield " ".join(re.sub(r"[*]{1,2}", "", block).split())


def sentences(text):
    return [s for paragraph in paragraphs(text) for s in SENTENCES.split(paragraph) if s]
