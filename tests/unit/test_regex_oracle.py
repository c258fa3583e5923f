#!/usr/bin/env python3
"""Patterns made at random match what Python's re has them match, where the two dialects are one.

tier: quick
timeout: 60
"""
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SEED, PATTERNS = 7, 4000
rng = random.Random(SEED)


def atom(depth):
    kind = rng.randrange(14)
    if kind < 3 and depth:
        return rng.choice(["(", "(?:", "(?i:"]) + either(depth - 1) + ")"
    if kind == 3:
        return rng.choice([".", r"\d", r"\w", r"\s", r"\W", r"\D", r"\S", r"\."])
    if kind == 4:
        inside = [rng.choice(["a", "b-d", r"\d", "é", "x-z", "_"]) for _ in range(rng.randrange(1, 3))]
        return "[" + rng.choice(["", "^"]) + "".join(inside) + "]"
    return rng.choice("aabbccé")


def sequence(depth):
    parts = []
    for _ in range(rng.randrange(4)):
        if rng.random() < 0.1:
            parts.append(rng.choice(["^", "$", r"\b", r"\A"]))
        else:
            times = rng.choice(["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??", "{0}"])
            parts.append(atom(depth) + (times if rng.random() < 0.35 else ""))
    return "".join(parts)


def either(depth):
    return "|".join(sequence(depth) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def hexadecimal(text):
    return text.encode().hex() or "-"


def main():
    cases = []
    for _ in range(PATTERNS):
        pattern = either(3)
        cases += [(rng.choice("ws"), pattern, "".join(rng.choice("aabbccdA_é x1.\n") for _ in range(rng.randrange(7)))) for _ in range(4)]
    cases = [case for case in cases if max(map(len, map(str.encode, case))) < 500]
    lines = "".join(f"{how} {hexadecimal(pattern)} {hexadecimal(text)}\n" for how, pattern, text in cases)
    program = ct.BUILD / "tests" / "unit" / "regex_lines"
    got = subprocess.run([program], input=lines, text=True, capture_output=True, check=True).stdout.split("\n")
    wrong, matches = [], 0
    for (how, pattern, text), answer in zip(cases, got):
        compiled = re.compile(pattern.replace("$", r"\Z"), re.DOTALL | re.ASCII)
        wanted = bool(compiled.fullmatch(text) if how == "w" else compiled.search(text))
        matches += wanted
        if answer != str(int(wanted)):
            wrong.append((how, pattern, text, answer))
    ct.ok(len(got) == len(cases) + 1 and not wrong, f"{len(cases)} texts and patterns: as re has them", wrong[:5])
    ct.ok(0.1 < matches / len(cases) < 0.9, "of which some match, and some do not", matches)
    ct.done()


main()
