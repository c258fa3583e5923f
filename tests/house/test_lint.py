"""script/lint finds what it forbids: each rule is broken once in a small work tree, and only that rule reports a breach.

tier: quick
timeout: 180
"""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

LINT = ct.ROOT / "script" / "lint"

CLEAN = {
    "src/base/buffer.h": "#pragma once\n#include <stddef.h>\ntypedef size_t buf_size;\n",
    "src/base/buffer.c": '#include "base/buffer.h"\n/* sprintf( in a comment */ const char *text = "strcpy(";\n',
    "src/queue/queue.h": '#pragma once\n#include "base/buffer.h"\n',
    "src/jfr/writer.h": '#pragma once\n#include "base/buffer.h"\n',
    "src/profile/profile.h": '#pragma once\n#include "base/buffer.h"\n#include "jfr/writer.h"\n',
    "src/agent/hot/walk.c": '#include "queue/queue.h"\n#include "jfr/writer.h"\nint walk;\n',
    "src/cli/main.c": '#include "profile/profile.h"\nint main(void) { return 0; }\n',
    "README.md": "Clean.\n",
    "src/agent/collect/part.h": "#pragma once\n",
    "src/agent/collect/drain.c": '#include "agent/collect/lock/locks.h"\n#include "agent/hot/walk/walk.h"\nint drain;\n',
    "src/agent/collect/lock/locks.h": '#pragma once\n#include "agent/collect/part.h"\n',
    "src/agent/hot/walk/walk.h": "#pragma once\n",
    "ARCHITECTURE.md": "## Floors\n\n```\ncli/\nagent/ (uses base, queue, jfr and nothing else)\n  profile/\njfr/ attach/ queue/\n"
                       "base/\n```\n\n## Folders in the stages\n\n| stage | its folders |\n|---|---|\n"
                       "| `agent/` | `collect/` events, `hot/` handlers |\n"
                       "| `agent/collect/` | `collect/` the doors, `lock/`, `part.h` of every event |\n"
                       "| `agent/hot/` | `walk/`, `hot/` |\n"
                       "| `base/` | `text/`, `base/` |\n",
}

# What is planted: {file: text}, and the words of the only breach that lint must report.
PLANTED = {
    "the agent uses profile": (
        {"src/agent/hot/walk.c": '#include "profile/profile.h"\n'}, "agent/ may not use profile/"),
    "the agent uses attach": (
        {"src/attach/jvm.h": "#pragma once\n", "src/agent/hot/walk.c": '#include "attach/jvm.h"\n'},
        "agent/ may not use attach/"),
    "a lower floor uses a higher one": (
        {"src/base/buffer.c": '#include "jfr/writer.h"\n'}, "base/ may not use jfr/"),
    "folders of one floor use each other": (
        {"src/queue/queue.h": '#pragma once\n#include "jfr/writer.h"\n'}, "queue/ may not use jfr/"),
    "a path relative to the file is no way round": (
        {"src/queue/queue.h": '#pragma once\n#include "../jfr/writer.h"\n'}, "queue/ may not use jfr/"),
    "a public header is on its folder's floor": (
        {"include/candor/queue.h": "#pragma once\n", "src/base/buffer.c": '#include "candor/queue.h"\n'},
        "base/ may not use queue/"),
    "a folder nobody knows": ({"src/misc/x.c": "int x;\n"}, "src/misc/ has no floor"),
    "a folder of the agent uses one to its left": (
        {"src/agent/hot/walk.c": '#include "agent/collect/part.h"\n'}, "stages: in agent/, hot/ may not use collect/"),
    "a folder of a stage uses one to its left": (
        {"src/agent/hot/load.h": '#pragma once\n#include "agent/hot/walk/walk.h"\n'},
        "src/agent/hot/load.h:2: stages: in agent/hot/, hot/ may not use walk/"),
    "a folder of a stage uses the stage's own files": (
        {"src/agent/collect/drain.h": "#pragma once\n", "src/agent/collect/lock/x.c": '#include "agent/collect/drain.h"\n'},
        "stages: in agent/collect/, lock/ may not use collect/"),
    "a file with a place of its own uses what is left of it": (
        {"src/agent/collect/part.h": '#pragma once\n#include "agent/collect/drain.h"\n', "src/agent/collect/drain.h": "#pragma once\n"},
        "stages: in agent/collect/, part.h may not use collect/"),
    "a folder that its stage does not know": ({"src/agent/heal/x.c": "int x;\n"}, "src/agent/heal:1: stages: agent/ has no place for heal"),
    "a stage with folders and no row": ({"src/jfr/read/x.c": "int x;\n"}, "src/jfr/read:1: stages: jfr/ has no place for read"),
    "headers that include each other": (
        {"src/base/a.h": '#pragma once\n#include "base/b.h"\n', "src/base/b.h": '#pragma once\n#include "base/a.h"\n'},
        "circles: src/base/a.h -> src/base/b.h -> src/base/a.h"),
    "pairs that need each other": (
        {"src/base/a.h": "#pragma once\n", "src/base/a.c": '#include "base/b.h"\n',
         "src/base/b.h": "#pragma once\n", "src/base/b.c": '#include "base/c.h"\n',
         "src/base/c.h": "#pragma once\n", "src/base/c.c": '#include "base/a.h"\n'},
        "circles: src/base/a.c -> src/base/b.c -> src/base/c.c -> src/base/a.c"),
    "a header that leans on another": (
        {"src/base/map.h": "#pragma once\nsize_t map_size(void);\n"}, "src/base/map.h:1: headers: does not compile alone"),
    "a public header that is no C++": (
        {"include/candor/queue.h": "#pragma once\nint candor_queue(int class);\n"}, "does not compile alone as c++"),
    "a banned call": ({"src/base/buffer.c": "\n  strcpy (a, b);\n"}, "src/base/buffer.c:2: banned: strcpy"),
    "a number read in one's own way": (
        {"src/base/text/number.c": "x = strtoul(a, 0, 10);\n", "src/base/buffer.c": "x = strtoul(a, 0, 10);\n"},
        "src/base/buffer.c:1: banned: strtoul"),
    "C that is laid out in another way": (
        {".clang-format": "BasedOnStyle: LLVM\nSortIncludes: false\n", "src/base/buffer.c": "int x;\nint  y;\n"},
        "src/base/buffer.c:2: layout: not as .clang-format has it"),
    "a tab": ({"README.md": "a\tb\n"}, "README.md:1: text: a tab"),
    "a trailing blank": ({"README.md": "a \n"}, "text: a trailing blank"),
    "a left-over": ({"src/base/buffer.c": "// TO" "DO: later\n"}, "text: a left-over"),
    "a machine's path": ({"script/x": "cd /wor" "k/main\n"}, "text: a path of one machine"),
    "a registry": ({"script/x": "curl https://re" "po1.example.org/\n"}, "text: a registry's host"),
    "an overlong line": ({"src/base/buffer.c": f"int {'x' * 140};\n"}, "text: 145 columns"),
    "no line end": ({"README.md": "a"}, "text: no line end"),
    "an empty file": ({"src/queue/README.md": ""}, "src/queue/README.md:1: text: an empty file"),
    "a document names a file that is not there": (
        {"README.md": "See src/base/gone.c, src/base/buffer.c and tests/LAYER/test_NAME.c.\n"},
        "README.md:1: names: there is no src/base/gone.c"),
    "so does a comment": (
        {"src/base/buffer.c": "/* as in src/base/gone.h */\n"}, "src/base/buffer.c:1: names: there is no src/base/gone.h"),
    "a crowded folder": ({f"src/jfr/{number}.c": f"int x{number};\n" for number in range(30)}, "src/jfr:1: crowded: 31 files; at most 30"),
    "a big file": ({"README.md": "a\n" * 600_000}, "README.md:1: text: 1200000 bytes"),
}


def lint(planted):
    """Exit status and output of lint on the clean tree with these files added."""
    tree = ct.WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    for name, text in {**CLEAN, **planted}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    subprocess.run(["git", "init", "-q", tree], check=True)
    done = subprocess.run([LINT, "--root", tree], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


ct.ok(lint({}) == (0, ""), "a clean tree has no breach", lint({}))
for what, (planted, expected) in PLANTED.items():
    status, output = lint(planted)
    ct.ok(status == 1 and expected in output and output.count("\n") == 1, f"found: {what}", output)


def tagged(version):
    """Lint on the clean tree with a commit that is tagged v1.2.0."""
    lint({"meson.build": f"project('x', 'c',\n  version: '{version}')\n"})
    tree = ct.WORK / "tree"
    for command in (["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"], ["tag", "v1.2.0"]):
        subprocess.run(["git", "-C", tree, *command], check=True)
    done = subprocess.run([LINT, "--root", tree], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


ct.ok(tagged("1.2.0") == (0, ""), "a tag that is the version", tagged("1.2.0"))
ct.ok("version: the tag v1.2.0 is on this commit" in tagged("1.3.0")[1], "found: a tag of another version", tagged("1.3.0"))

thirty = {f"src/jfr/{number}.c": f"int x{number};\n" for number in range(29)}
ct.ok(lint(thirty) == (0, ""), "thirty files in a folder are no breach", lint(thirty))

binary = {"tests/data/recording.bin": "\0\t \n"}
ct.ok(lint(binary) == (0, ""), "binary files are not read as text", lint(binary))
ct.done()
