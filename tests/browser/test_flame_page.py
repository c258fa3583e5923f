"""The flame graph page as a page: one file without a network, hostile names, empty or damaged profiles, themes, contrast, narrow and
dense screens.

tier: default
timeout: 600
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import flamepage
import profiles
from flamepage import ct

LIMIT = 300_000

HERE = pathlib.Path(__file__).resolve().parent
LAYOUT_FAULTS = (HERE / "layout_faults.js").read_text()
LEAST_CONTRAST = (HERE / "least_contrast.js").read_text()


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def built_file():
    text = flamepage.template()
    ct.ok(len(text.encode()) < LIMIT, "the page has less than %d bytes: %d" % (LIMIT, len(text.encode())))
    ct.ok(text.count(profiles.DATA_MARK) == 1, "it has one place for the data")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    ct.ok(
        "default-src 'none'" in policy and "unsafe" not in policy and policy.count("'sha256-") == 2,
        "its policy allows one style, one script and nothing else",
        policy,
    )
    outside = re.findall(
        r"(?:https?:)?//[a-z0-9.-]+\.[a-z]+|@import|url\(|\bfetch\(|XMLHttpRequest|innerHTML|document\.write|\beval\(",
        text.replace("http://www.w3.org/2000/svg", ""),  # the XML namespace of SVG, which is never requested
    )
    ct.ok(not outside, "it names no address and interprets no text", outside)

    compiler, library = shutil.which("cc"), ct.BUILD / "web" / "libweb.a"
    if not compiler or not library.exists():
        ct.skip("the page inside the program", "no C compiler" if not compiler else "%s is not built" % library)
        return
    source, program = ct.WORK / "page.c", ct.WORK / "page"
    source.write_text(
        '#include "web/web.h"\n#include <stdio.h>\n'
        "int main(void) { return fwrite(web_flame_html, 1, web_flame_html_len, stdout) != web_flame_html_len; }\n"
    )
    subprocess.run([compiler, "-I", ct.ROOT, source, library, "-o", program], check=True)
    ct.ok(
        subprocess.run([program], capture_output=True).stdout == flamepage.PAGE.read_bytes(),
        "the program carries the same bytes",
    )


def hostile_names(page, profile):
    page.show(profile)
    counts = page.run("return ['img', 'script', 'b', 'iframe'].map((t) => document.querySelectorAll(t).length)")
    ct.ok(counts == [0, 2, 0, 0], "names and title make no elements", counts)
    ct.ok(
        page.run("return document.title") == profile.title + " · Candor" and profile.title in page.text("#title"),
        "the title is text",
    )
    hidden = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
    for name in profiles.HOSTILE:
        frame = page.frame(lambda f: f["name"] == name and f["depth"] == 3)
        page.hover_frame(frame)
        shown = page.text("#tooltip .name")
        box = page.run(
            "const r = document.getElementById('tooltip').getBoundingClientRect();"
            "return [r.left, r.top, r.right - innerWidth, r.bottom - innerHeight]"
        )
        ct.ok(
            not hidden.search(shown) and box[0] >= 0 and box[1] >= 0 and box[2] <= 0 and box[3] <= 0,
            "tooltip of %s: nothing hidden in it, wholly in the window" % ascii(name[:30]),
            (ascii(shown[:200]), box),
        )
        if name.strip() and len(name) < 1000 and not hidden.search(name) and "\u200d" not in name:
            ct.ok(shown == name, "and it is the whole name", ascii(shown))
        page.click_frame(frame)
        label = next(f for f in page.frames() if f["frame"] == frame["frame"])["label"]
        ct.ok(
            name.strip() == "" or label != "" and not hidden.search(label),
            "zoomed in, its label can be read",
            ascii(label[:80]),
        )
        page.click_on("#reset")
    page.move(5, 5)
    ct.ok(
        page.run("return fetch(location.href).then(() => 'allowed', () => 'refused')") == "refused",
        "the page may not ask any network",
    )
    page.messages()  # of that refusal


def labels_whole(page, profile):
    """Each label is a whole name, the end of a name, or the beginning of one of these with an ellipsis, and fits into its frame."""
    for width in (400, 1280):
        page.window(width, 1500)
        page.show(profile, "#graph=shown")
        bad, cut = [], 0
        widths = page.run("""const c = document.createElement("canvas").getContext("2d");
            c.font = document.getElementById("canvas").getContext("2d").font;
            c.fontKerning = "none"; c.textRendering = "optimizeSpeed";
            return candor.frames().map((f) => c.measureText(f.label).width)""")
        for f, drawn in zip(page.frames(), widths):
            label, name = f["label"], f["shownName"]
            ends = {name} | {name[m.end() :] for m in re.finditer(r"\.", name)} | {re.sub(r"\(.*", "", name)}
            ends |= {re.sub(r"\(.*", "", e) for e in ends}
            whole = label in ends
            begun = label.endswith("…") and any(e.startswith(label[:-1]) for e in ends)
            torn = begun and re.search("[\ud800-\udbff\u200d]$", label[:-1])
            cut += begun
            if label and (torn or not (whole or begun) or drawn > f["width"] - 7):
                bad.append((ascii(label), ascii(name[:60]), f["width"], drawn))
        ct.ok(
            not bad and cut > 0,
            "%d px: every label is whole or ends in an ellipsis (%d do), and fits" % (width, cut),
            bad[:3],
        )
    page.window(1280, 800)


def without_graph(page, profile):
    page.file = ct.WORK / "empty.html"
    page.file.write_text(flamepage.template(), encoding="utf-8")
    page.reopen()
    ct.ok(page.text("#empty-title") == "No profile", "the template alone says that it is empty")
    page.press("?")
    ct.ok(page.run("return document.getElementById('help').open"), "and still has its help")

    whole = json.loads(profile.json())
    nothing = dict({key: [] for key in whole["nodes"]}, count=0)
    root = {"count": 1, "parent": [0], "name": [0], "type": [0], "self": [0], "self_effect": [1000], "total_effect": [1000]}
    for text, nodes in (("no nodes", nothing), ("a root without samples", root)):
        page.show_json(json.dumps(dict(whole, nodes=nodes, slices=None, total=0, samples=0)))
        ct.ok(
            page.text("#empty-title") == "No samples"
            and "complete" in page.text("#books-summary")
            and not page.run("return [...document.querySelectorAll('[data-needs]')].some((e) => e.checkVisibility())"),
            "%s: said so, with the books in sight" % text,
        )

    def broken(**changes):
        return json.dumps(dict(whole, nodes=dict(whole["nodes"], **changes)))

    n = whole["nodes"]["count"]
    damaged = {
        "no JSON": profile.json()[:-200],
        "not an object": "[1]",
        "null": "null",
        "no nodes": json.dumps(dict(whole, nodes=None)),
        "strings": json.dumps(dict(whole, strings=[1])),
        "types": json.dumps(dict(whole, types=[])),
        "short": broken(self=[1]),
        "circle": broken(parent=[0] + [1] * (n - 1)),
        "forward": broken(parent=[0, n - 1] + [0] * (n - 2)),
        "name": broken(name=[10**6] * n),
        "type": broken(type=[99] * n),
        "negative": broken(self=[-1] * n),
        "no number": broken(self=["x"] * n),
        "fraction": broken(name=[0.5] * n),
        "no count": broken(count=-1),
        "not packed": broken(self="no base64!"),
        "not deflated": broken(self="AAAA"),
        "packed too short": broken(self=profiles.pack([1, 2, 3])),
        "packed too long": broken(self=profiles.pack([1] * (n + 1))),
        "packed out of bounds": broken(type=profiles.pack([99] * n)),
        "cut": broken(self=profiles.pack([1] * n)[:8]),
        "no threads": json.dumps(dict(whole, threads=None)),
        "slices": json.dumps(dict(whole, slices=dict(whole["slices"], time=[1]))),
        "slices of a node that is not there": json.dumps(
            dict(whole, slices=dict(whole["slices"], node=[n] * whole["slices"]["count"]))),
        "no effects": broken(self_effect=[]),
        "effect": broken(total_effect=[0] * n),
        "methods": json.dumps(dict(whole, methods=[[10**6, 1000, 1000]])),
    }
    for text, data in damaged.items():
        page.show_json(data)
        ct.ok(
            page.text("#empty-title") == "This profile cannot be shown" and len(page.text("#empty-text")) < 300,
            "damaged (%s): one clear line" % text,
            page.text("#empty-text"),
        )
    page.show_json(broken(self_effect=[2500] * n, total_effect=[2500] * n))
    rows = page.run("return document.querySelectorAll('#methods-body tr').length")
    ct.ok(rows == len(profile.methods()), "effects of samples in clusters are above those of independent ones", page.text("#empty-text"))
    page.show_json(json.dumps(dict(whole, total=whole["total"] + 1000)))
    ct.ok(
        "does not add up" in page.text("#notes").replace("do not", "does not"),
        "a total that does not add up is noted",
        page.text("#notes"),
    )
    twice = dict(whole, strings=whole["strings"] + whole["strings"])
    twice["nodes"] = dict(
        whole["nodes"], name=[s + (i % 2) * len(whole["strings"]) for i, s in enumerate(whole["nodes"]["name"])]
    )
    page.show_json(json.dumps(twice))
    rows = page.run("return document.querySelectorAll('#methods-body tr').length")
    ct.ok(rows == len(profile.methods()), "a name written twice is one method", rows)


def themes(page, profile):
    backgrounds = set()
    page.window(1280, 1500)
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        page.show(profile)
        ct.ok(page.state()["themeShown"] == scheme, "%s as the system prefers" % scheme)
        backgrounds.add(page.run("return getComputedStyle(document.body).backgroundColor"))
        for view in ("", "#query=HashMap&selected=5", "#query=((&regex=1", "#view=callers&colour=type&zoom=3"):
            page.reopen(view)
            least = page.run(LEAST_CONTRAST)
            ct.ok(
                least[0] >= 4.5,
                "%s %s: every text has a contrast of 4.5, least %.1f" % (scheme, view, least[0]),
                least[1],
            )
        for dialog in ("#books", "#help-open"):
            page.reopen()
            page.click_on(dialog)
            least = page.run(LEAST_CONTRAST)
            ct.ok(least[0] >= 4.5, "%s %s: and in the dialog, least %.1f" % (scheme, dialog, least[0]), least[1])
        for colour in ("package", "type"):
            page.reopen("#colour=" + colour)
            fills = {page.fill(f) for f in page.frames() if f["width"] > 6 and f["depth"] > 0}
            low = min(contrast(fill, "#111111") for fill in fills)
            ct.ok(len(fills) > 3 and low >= 4.5, "%s by %s: labels on frames have %.1f" % (scheme, colour, low))
        other = "dark" if scheme == "light" else "light"
        page.choose("theme", other)
        ct.ok(page.state()["themeShown"] == other, "the choice stands over the system")
        page.prefer(other)
        page.choose("theme", "auto")
        page.prefer(scheme)
        page.settle()
        ct.ok(page.state()["themeShown"] == scheme, "auto follows the system while the page is open")
    ct.ok(len(backgrounds) == 2, "light and dark differ")
    page.prefer("light")
    page.window(1280, 800)


def layouts(page, profile):
    long_name = next(i for i, name in enumerate(json.loads(profile.json())["strings"]) if len(name) > 9000)
    views = (
        "",
        "#query=Cart&selected=9&zoom=4",
        "#table=shown&view=callers",
        "#table=shown&query=a",
        "#query=((&regex=1&flip=1",
        "#timeline=shown&table=shown&threads=0.1.2&from=3&to=900&focus=0&group=threads",
        "#view=sandwich&selected=0&method=%d" % long_name,
        "#view=callers&focus=%d&selected=2&zoom=2&chains=1" % long_name,
    )
    comparison = profile.json(profiles.changed(profile))
    for width, height in ((400, 800), (760, 900), (1024, 700), (1920, 1000)):
        page.window(width, height)
        for view in views:
            page.show(profile, view)
            faults = page.run(LAYOUT_FAULTS)
            ct.ok(not faults, "%d px %s: nothing overlaps, is cut or outside" % (width, view), "\n".join(faults[:6]))
        page.show_json(comparison, "#table=shown&selected=3")
        faults = page.run(LAYOUT_FAULTS)
        ct.ok(not faults, "%d px, comparison: nor there" % width, "\n".join(faults[:6]))
        for dialog in ("#books", "#help-open"):
            page.reopen()
            page.click_on(dialog)
            faults = page.run(LAYOUT_FAULTS)
            top = page.run("return document.querySelector('dialog[open] h2').getBoundingClientRect().top")
            ct.ok(not faults and 0 < top < height, "%d px %s: nor in the dialog, which shows its beginning" % (width, dialog),
                  "\n".join(faults[:6] + [str(top)]))
    page.window(320, 256, 4)  # a window of 1280 x 1024, enlarged four times
    for view in views:
        page.show(profile, view)
        faults = page.run(LAYOUT_FAULTS, True)
        height = page.run("return document.querySelector('main').getBoundingClientRect().height")
        ct.ok(not faults and height > 250, "enlarged four times %s: one direction to scroll in, room for the graph" % view,
              "\n".join(faults[:6] + [str(height)]))
    for ratio in (1, 2, 1.5):
        page.window(800, 600, ratio)
        page.reopen()
        sizes = page.run(
            "const c = document.getElementById('canvas'), b = c.getBoundingClientRect();"
            "return [c.width, b.width, c.height, b.height]"
        )
        ct.ok(
            abs(sizes[0] - sizes[1] * ratio) <= 1 and abs(sizes[2] - sizes[3] * ratio) <= 1,
            "%s device pixels per pixel" % ratio,
            sizes,
        )
    page.window(1280, 800)


def pictures(page, profile):
    """For people to look at: kept with CANDOR_KEEP=1."""
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        for name, size, view in (
            ("whole", (1280, 800), ""),
            ("zoomed", (1280, 800), "#zoom=7&selected=9"),
            ("search", (1280, 800), "#query=HashMap"),
            ("callers", (1280, 800), "#view=callers&flip=1&colour=type"),
            ("narrow", (400, 800), "#query=Cart&table=shown"),
            ("sandwich", (1280, 900), "#view=sandwich&method=8&selected=0"),
            ("time", (1280, 900), "#from=100&to=700&threads=0.2&timeline=shown&group=threads"),
            ("nothing", (900, 700), "#focus=2&drop=2"),
            ("changes", (1280, 800), "#table=shown"),
        ):
            page.window(*size, 2 if name == "narrow" else 1)
            page.show_json(profile.json(profiles.changed(profile) if name == "changes" else None), view)
            page.screenshot(ct.WORK / ("%s-%s.png" % (name, scheme)))
    page.prefer("light")
    if os.environ.get("CANDOR_KEEP"):
        ct.note("pictures are in %s" % ct.WORK)


def main():
    ct.need(flamepage.PAGE)
    built_file()
    flamepage.need()
    profile = profiles.everyday()
    with flamepage.Flame() as page:
        for part in (hostile_names, labels_whole, without_graph, themes, layouts, pictures):
            part(page, profile)
        messages = page.messages()
        ct.ok(not messages, "the browser reports no errors", messages)
    ct.done()


main()
