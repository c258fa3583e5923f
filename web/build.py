"""Assembles the viewer: template + style + modules -> one HTML page, and that page as a C array.

    build.py flame.html flame.css MODULE.js... --html OUT.html --c OUT.c

The modules are plain ES modules that only import each other by name. They are put in the order of their imports, each
becomes a function that returns what it exports, and the whole is one strict script: a page opened from disk may not
load modules. The page allows exactly this style and this script, by their hashes.
"""

import argparse
import base64
import hashlib
import os
import re
import sys

DATA_MARK = "/*CANDOR_DATA*/"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.M)
EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.M)
SIZE_LIMIT = 200_000


def fail(text):
    sys.exit("web/build.py: " + text)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def in_import_order(sources):
    """Module names, each after all it imports; a circle is an error."""
    order, state = [], {}

    def visit(name, chain):
        if name not in sources:
            fail("%s imports %s, which is not in the list" % (chain[-1], name))
        if state.get(name) == "open":
            fail("circle of imports: " + " -> ".join(chain + [name]))
        if name in state:
            return
        state[name] = "open"
        for _, other in IMPORT.findall(sources[name]):
            visit(other, chain + [name])
        state[name] = "done"
        order.append(name)

    for name in sources:
        visit(name, [])
    return order


def as_function(name, source):
    """One module as `const NAME_js = (() => { ...; return { exports }; })();`"""
    body = EXPORT.sub("", IMPORT.sub(r"const {\1} = \2_js;\n", source))
    stray = re.search(r"^(import|export)\b.*", body, re.M)
    if stray:
        fail("%s.js: cannot bundle: %s" % (name, stray.group(0)))
    exports = ", ".join(EXPORTED.findall(source))
    return "const %s_js = (() => {\n%sreturn { %s };\n})();\n" % (name, body, exports)


def bundle(paths):
    """One script of all modules."""
    sources = {os.path.splitext(os.path.basename(p))[0]: read(p) for p in paths}
    for name, text in sources.items():
        for words, other in IMPORT.findall(text):
            missing = {w.strip() for w in words.split(",")} - set(EXPORTED.findall(sources.get(other, "")))
            if other in sources and missing:
                fail("%s.js imports %s, which %s.js does not export" % (name, ", ".join(sorted(missing)), other))
    parts = [as_function(name, sources[name]) for name in in_import_order(sources)]
    return '\n(() => {\n"use strict";\n%s})();\n' % "\n".join(parts)


def hash_source(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-%s'" % base64.b64encode(digest).decode()


def page(template, style, script):
    """Fills the template's three marks; refuses what would not survive inside an HTML element."""
    style = "\n" + style
    for what, text in (("style", style), ("script", script)):
        if re.search(r"</(script|style)|<!--", text, re.I):
            fail("the %s contains text that would end or hide its element" % what)
        if DATA_MARK in text:
            fail("the %s contains the data mark" % what)
    policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src %s; script-src %s" % (
        hash_source(style), hash_source(script))
    for mark, text in (("@POLICY@", policy), ("@STYLE@", style), ("@SCRIPT@", script)):
        if template.count(mark) != 1:
            fail("the template needs %s exactly once" % mark)
        template = template.replace(mark, text)
    if template.count(DATA_MARK) != 1:
        fail("the template needs %s exactly once" % DATA_MARK)
    return template


def c_array(data):
    """The bytes as one string literal, a line of source per line of the page."""
    def escape(byte):
        if byte in b'"\\?':
            return "\\" + chr(byte)
        return chr(byte) if 32 <= byte < 127 else "\\%03o" % byte
    lines = data.split(b"\n")
    rows = ['    "%s\\n"' % "".join(map(escape, line)) for line in lines[:-1]]
    rows.append('    "%s"' % "".join(map(escape, lines[-1])))
    return ("/* Made by web/build.py from the files in web/. */\n"
            '#include "web/web.h"\n\n'
            "const char web_flame_html[] =\n%s;\n\n"
            "const size_t web_flame_html_len = sizeof web_flame_html - 1;\n" % "\n".join(rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("template")
    parser.add_argument("style")
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--html", required=True)
    parser.add_argument("--c", required=True)
    args = parser.parse_args()

    data = page(read(args.template), read(args.style), bundle(args.modules)).encode()
    if len(data) > SIZE_LIMIT:
        fail("the page has %d bytes, more than %d" % (len(data), SIZE_LIMIT))
    with open(args.html, "wb") as f:
        f.write(data)
    with open(args.c, "w", encoding="ascii") as f:
        f.write(c_array(data))


if __name__ == "__main__":
    main()
