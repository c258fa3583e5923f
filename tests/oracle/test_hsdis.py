#!/usr/bin/env python3
"""The instructions of `candor asm`, compared with those that the JVM itself prints (-XX:+PrintAssembly, with a disassembler plug-in) for
the same compilations.

tier: default
timeout: 600

The plug-in is Debian's libhsdis0-fcml, behind hsdis.c: a disassembler by other authors than ours. The test compares every instruction
of compiled methods that has samples: it must begin and end where the JVM says, and have the same mnemonic. First, differences between
the syntaxes are removed (`normal`): suffixes for the size of operands, synonyms of conditions, prefixes.
At least 99 of 100 must agree, by number and by samples, because the plug-in does not know every instruction either.

There is one compiler with one thread, because the output of two threads would be mixed; and no AVX-512, of which the plug-in knows
little. A method is identified by the number of its compilation, so a method that is compiled again, or at another place, is never
mistaken for another one.
"""
import ctypes
import html
import json
import os
import pathlib
import platform
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

PACKAGE = "libhsdis0-fcml"
LEAST, AGREE = 200, 0.99
SECONDS = (3, 12, 30)

# ---- mnemonics ----

PREFIXES = {"lock", "rep", "repe", "repz", "repne", "repnz", "data16", "data32", "addr32", "xacquire", "xrelease", "bnd", "notrack",
            "cs", "ds", "es", "ss", "fs", "gs", "rex", "rex.w"}
CONDITIONS = {synonym: names[0] for names in (
    ("o",), ("no",), ("b", "c", "nae"), ("ae", "nb", "nc"), ("e", "z"), ("ne", "nz"), ("be", "na"), ("a", "nbe"), ("s",), ("ns",),
    ("p", "pe"), ("np", "po"), ("l", "nge"), ("ge", "nl"), ("le", "ng"), ("g", "nle")) for synonym in names}
SYNONYMS = {"movabs": "mov", "movabsq": "mov", "movq": "mov", "movd": "mov", "vmovd": "vmovq", "movsxd": "movsx", "movslq": "movsx",
            "sal": "shl", "cltq": "cdqe", "cqto": "cqo", "cltd": "cdq", "cwtl": "cwde", "cwtd": "cwd", "cbtw": "cbw", "ud2a": "ud2",
            "retn": "ret", "fwait": "wait"}
# Mnemonics to which AT&T's syntax adds a suffix for the size of their operands, and Intel's no suffix or another one.
SIZED = set("""mov add sub adc sbb cmp test lea and or xor not neg inc dec mul imul div idiv shl shr sar rol ror rcl rcr shld shrd push pop
    call ret jmp nop xchg xadd cmpxchg bt bts btr btc bsf bsr lzcnt tzcnt popcnt bswap stos movs scas cmps lods cvtsi2sd cvtsi2ss
    vcvtsi2sd vcvtsi2ss cvttsd2si cvttss2si vcvttsd2si vcvttss2si cvtsd2si cvtss2si andn blsr blsi blsmsk shlx shrx sarx rorx bzhi
    pdep pext mulx adcx adox crc32 movbe""".split())


def of_condition(word):
    for stem in ("cmov", "set", "j"):
        condition = CONDITIONS.get(word[len(stem):]) or CONDITIONS.get(word[len(stem):-1] if word[-1:] in "wlq" else "")
        if word.startswith(stem) and condition:
            return stem + condition
    return None


def normal(text):
    """The mnemonic of an instruction in either syntax, after removing differences between the two."""
    words = re.split(r"[\s,]+", text.strip().lower())
    while len(words) > 1 and words[0] in PREFIXES:
        words.pop(0)
    word = words[0]
    if word == "xchg" and {part.lstrip("%") for part in words[1:]} == {"ax"}:
        return "nop"
    if re.fullmatch(r"mov(zx|z[bw][wlq]?)", word):
        return "movzx"
    if re.fullmatch(r"mov(sx|s[bw][wlq])", word):
        return "movsx"
    word = SYNONYMS.get(word, word)
    if word in SIZED:
        return word
    if word[-1] in "bwldq" and word[:-1] in SIZED:
        return word[:-1]
    return of_condition(word) or word


def check_normal():
    """Tests the comparison itself: equal and different instructions."""
    same = (("movabs r10, 0x10", "movabsq $0x10,%r10"), ("jne 0x10", "jnz 0x10"), ("cqo", "cqto"), ("ret", "retq"),
            ("lock cmpxchg qword ptr [rsi], r10", "lock cmpxchgq %r10,(%rsi)"), ("idiv r11", "idivq %r11"),
            ("movzx eax, byte ptr [rsi]", "movzbl (%rsi),%eax"), ("movsxd r10, r11d", "movslq %r11d,%r10"),
            ("cmovge eax, ebx", "cmovnl %ebx,%eax"), ("rep stosq qword ptr [rdi], rax", "rep stos %rax,%es:(%rdi)"),
            ("setb al", "setc %al"), ("sal eax, 1", "shl %eax"), ("vmovdqu ymm0, ymmword ptr [rsi]", "vmovdqu (%rsi),%ymm0"))
    other = (("je 0x10", "jne 0x10"), ("add eax, ebx", "sub %ebx,%eax"), ("movzx eax, byte ptr [rsi]", "movsbl (%rsi),%eax"),
             ("idiv r11", "div r11"), ("jb 0x10", "jbe 0x10"), ("vaddsd xmm0, xmm1, xmm2", "vaddss xmm0, xmm1, xmm2"),
             ("shl eax, 1", "shr eax, 1"))
    wrong = [pair for pair in same if normal(pair[0]) != normal(pair[1])]
    wrong += [pair for pair in other if normal(pair[0]) == normal(pair[1])]
    ct.ok(not wrong, "mnemonics: synonyms are the same, and nothing else is", wrong)


# ---- the output of the JVM ----

def has_plug_in():
    try:
        ctypes.CDLL("libhsdis.so.0")
    except OSError:
        return False
    return True


def printed(path):
    """{compilation: {address: mnemonic}}, and the text that replaces instructions if there is no disassembler."""
    methods, current, missing = {}, None, None
    with open(path, errors="replace") as file:
        for line in file:
            line = html.unescape(line)
            begin = (re.search(r"<print_nmethod [^>]*compile_id='(\d+)'", line)
                     or re.match(r"Compiled method \((?:c1|c2)\)\s+\d+\s+(\d+)\s", line))
            if begin:
                current = methods.setdefault(int(begin.group(1)), {})
            elif "</print_nmethod>" in line:
                current = None
            elif "[MachCode]" in line or "Could not load hsdis" in line:
                missing = line.strip()
            found = re.match(r"\s*0x([0-9a-f]{8,16}):\s+([^;]*[^;\s])", line)
            if found and current is not None:
                current[int(found.group(1), 16)] = normal(found.group(2))
    return methods, missing


# ---- the comparison ----

def sampled(report):
    """(compilation, address, size, text, samples) of each instruction of compiled methods that has samples."""
    for region in report["regions"]:
        for line in region.get("lines", ()):
            if region["source"].startswith("C") and "samples" in line:
                yield region["compile_id"], int(line["address"], 16), len(line["bytes"]) // 2, line["text"], line["samples"]


def record(jdk):
    """A recording with machine code, and the JVM's own listing of everything that it compiled."""
    recording, listing = ct.WORK / f"{jdk.version}.jfr", ct.WORK / f"{jdk.version}.log"
    flags = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintAssembly", "-XX:-TieredCompilation", "-XX:CICompilerCount=1", "-XX:UseAVX=2",
             "-XX:+LogVMOutput", "-XX:-DisplayVMOutput", f"-XX:LogFile={listing}"]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(ct.BUILD / "tests/oracle")}
    for seconds in SECONDS:  # a machine that is busy with other work takes longer
        options = ct.agent_options(file=recording, interval="250us", asm="on")
        with ct.Jvm(jdk, "HotLoops", agent=options, flags=flags, env=environment) as jvm:
            jvm.expect("ready")
            jvm.round(seconds=seconds)
            ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
        result = ct.candor("asm", "--json", "--top", "0", "--threshold", "0", recording)
        report = json.loads(result.out) if result.status == 0 else None
        if not report or len(list(sampled(report))) >= LEAST:
            break
    ct.ok(report, f"{jdk}: a report", result)
    return report, listing


def compare(what, report, methods):
    known = total = 0
    same, different = [], {"boundaries": [], "mnemonics": []}
    for compilation, address, size, text, samples in sampled(report):
        total += samples
        lines = methods.get(compilation)
        if not lines or not min(lines) <= address <= max(lines):
            continue
        known += samples
        ends = address + size in lines or address + size > max(lines)
        kind = "boundaries" if address not in lines or not ends else "mnemonics" if lines[address] != normal(text) else None
        if kind:
            different[kind].append((samples, f"{address:#x} {text}: the JVM says {lines.get(address, 'nothing begins here')}"))
        else:
            same.append(samples)
    wrong = different["boundaries"] + different["mnemonics"]
    count = len(same) + len(wrong)
    detail = "\n".join(text for _, text in sorted(wrong, reverse=True)[:40])
    ct.ok(known >= AGREE * total > 0, f"{what}: the JVM has printed what {known} of {total} samples in compiled methods fell in")
    ct.ok(count >= LEAST, f"{what}: {count} instructions to compare")
    for kind, found in different.items():
        ct.ok(len(found) <= (1 - AGREE) * count, f"{what}: {kind}: {len(found)} of {count} instructions differ", detail)
    weight = sum(samples for samples, _ in wrong)
    ct.ok(weight <= (1 - AGREE) * known, f"{what}: {weight} of {known} samples are in instructions that differ", detail)


def main():
    ct.need()
    check_normal()
    if platform.machine() != "x86_64":
        ct.skip("PrintAssembly", f"Debian has {PACKAGE} for x86-64")
        ct.done()
    if not has_plug_in():
        ct.skip("PrintAssembly", f"{PACKAGE} is not installed; run script/bootstrap")
        ct.done()
    for jdk in ct.jdks(None if ct.TIER == "all" else {version: "in tier all" for version in (8, 11, 21, 27)}):
        report, listing = record(jdk)
        if not report:
            continue
        methods, missing = printed(listing)
        if ct.ok(methods and not missing, f"{jdk}: the JVM has disassembled {len(methods)} compilations", missing):
            compare(str(jdk), report, methods)
    ct.done()


main()
