"""Assembles the viewer: template + style + script -> one HTML page, and that page as a C array.

    build.py flame.html viewer.html page/main.ts flame.css --html OUT.html --c OUT.c --depfile OUT.d
    build.py fleet.html viewer.html fleet/main.ts flame.css fleet.css --c OUT.c --depfile OUT.d

Both pages contain the viewer, whose markup is in viewer.html.

esbuild bundles the script with all its imports into one, because a page opened from disk may not load modules. The list of these
modules goes to OUT.d, for ninja. The page allows exactly this style and this script, by their hashes.
"""

import argparse
import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tempfile

DATA_MARK = "/*CANDOR_DATA*/"
SIZE_LIMIT = 300_000
FLEET_LIMIT = 350_000  # packed


def fail(text):
    sys.exit("web/build.py: " + text)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def bundle(main):
    """One script with all modules, and the names of these. Names in the script stay as they are, for readers of the page."""
    with tempfile.TemporaryDirectory() as directory:
        out, meta = directory + "/bundle.js", directory + "/meta.json"
        command = ["esbuild", main, "--bundle", "--format=iife", "--target=es2021", "--charset=ascii", "--minify-whitespace",
                   "--minify-syntax", "--log-level=warning", "--outfile=" + out, "--metafile=" + meta]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            fail("esbuild: %s" % error)
        return "\n" + read(out), sorted(json.loads(read(meta))["inputs"])


def hash_source(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-%s'" % base64.b64encode(digest).decode()


def with_viewer(template, viewer):
    if template.count("@VIEWER@") != 1:
        fail("the template needs @VIEWER@ exactly once")
    return template.replace("@VIEWER@\n", viewer)


def page(template, style, script):
    """Fills the template's three marks; refuses contents that would not survive inside an HTML element."""
    style = "\n" + style
    for what, text in (("style", style), ("script", script)):
        if re.search(r"</(script|style)|<!--", text, re.IGNORECASE):
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


def c_array(data, name):
    """The bytes as one string literal, a line of source per line of the data."""
    def escape(byte):
        if byte in b'"\\?':
            return "\\" + chr(byte)
        return chr(byte) if 32 <= byte < 127 else "\\%03o" % byte
    lines = data.split(b"\n")
    rows = ['    "%s\\n"' % "".join(map(escape, line)) for line in lines[:-1]]
    rows.append('    "%s"' % "".join(map(escape, lines[-1])))
    return ("/* Made by web/build.py from the files in web/. */\n"
            '#include "web/web.h"\n\n'
            "const char web_%s[] =\n%s;\n\n"
            "const size_t web_%s_len = sizeof web_%s - 1;\n" % (name, "\n".join(rows), name, name))


def fleet(template, style, script, out):
    """The server's page: three files, requested one by one, because nothing is put into them."""
    parts = (("fleet_html", template), ("fleet_css", style), ("fleet_js", script))
    arrays = [(name, text.encode()) for name, text in parts]
    packed = [(name + "_gz", gzip.compress(data, mtime=0)) for name, data in arrays]
    size = sum(len(data) for _, data in packed)
    if size > FLEET_LIMIT:
        fail("the server's page has %d bytes, packed, more than %d" % (size, FLEET_LIMIT))
    with open(out, "w", encoding="ascii") as f:
        f.write("\n".join(c_array(data, name) for name, data in arrays + packed))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("template")
    parser.add_argument("viewer")
    parser.add_argument("main")
    parser.add_argument("style", nargs="+")
    parser.add_argument("--html", help="the page; without it the files stay apart, for the server")
    parser.add_argument("--c", required=True)
    parser.add_argument("--depfile", required=True)
    args = parser.parse_args()
    script, modules = bundle(args.main)
    with open(args.depfile, "w", encoding="utf-8") as f:
        f.write("%s: %s\n" % (args.html or args.c, " ".join(name.replace(" ", "\\ ") for name in modules)))
    template, style = with_viewer(read(args.template), read(args.viewer)), "".join(map(read, args.style))
    if not args.html:
        fleet(template, style, script, args.c)
        return

    data = page(template, style, script).encode()
    if len(data) > SIZE_LIMIT:
        fail("the page has %d bytes, more than %d" % (len(data), SIZE_LIMIT))
    with open(args.html, "wb") as f:
        f.write(data)
    with open(args.c, "w", encoding="ascii") as f:
        f.write(c_array(data, "flame_html"))


if __name__ == "__main__":
    main()
