#!/usr/bin/env python3
"""A real program: javac over a tree of generated source files, profiled from its first moment.

tier: default
timeout: 900

Short-running, mostly interpreted and freshly compiled code with deep stacks, class loading, GC and a busy JIT. Of the
Java threads' samples >= 95 % have Java frames; the books close with a residual <= 2 %; javac's own packages lead.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

FILES = 120 if ct.TIER == "all" else 50

CLASS = """package gen.p{package};

import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Generated: something of everything a compiler has to look at. */
public class C{n}<T extends Comparable<T>> extends {parent} implements Function<T, List<? super T>> {{
    private final Map<String, List<Supplier<? extends Number>>> table = new TreeMap<>();
    enum Kind {{ RED, GREEN, BLUE; Kind next() {{ return values()[(ordinal() + 1) % values().length]; }} }}
    record Pair<A, B>(A left, B right) {{
        <X> Pair<X, B> with(Function<? super A, ? extends X> f) {{ return new Pair<>(f.apply(left), right); }}
    }}
    sealed interface Shape permits Circle, Square {{ double area(); }}
    record Circle(double r) implements Shape {{ public double area() {{ return Math.PI * r * r; }} }}
    record Square(double side) implements Shape {{ public double area() {{ return side * side; }} }}

    @Override public List<? super T> apply(T t) {{
        return Stream.of(t).map(x -> (Comparable<T>) x).sorted().collect(Collectors.toCollection(ArrayList::new));
    }}
{methods}
}}
"""

METHOD = """
    public <K extends Comparable<? super K>> Map<K, Long> m{i}(Collection<? extends K> keys, int depth) {{
        Map<K, Long> counts = keys.stream().filter(Objects::nonNull)
            .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        for (Kind kind : Kind.values()) {{
            String text = switch (kind) {{
                case RED -> "r" + depth;
                case GREEN -> "g" + counts.size();
                default -> "b";
            }};
            table.computeIfAbsent(text, k -> new ArrayList<>()).add(() -> depth * {i} + text.length());
        }}
        Shape shape = depth % 2 == 0 ? new Circle(depth) : new Square(depth);
        if (shape instanceof Circle circle && circle.r() > {i}) {{
            return new Pair<>(counts, depth).<Map<K, Long>>with(x -> x).left();
        }}
        BiFunction<Integer, Integer, Integer> add = (a, b) -> {{
            int sum = 0;
            for (int j = a; j < b; j++) sum += j ^ {i};
            return sum;
        }};
        return depth <= 0 || add.apply(depth, {i}) < 0 ? counts : m{i}(keys, depth - 1);
    }}
"""


def generate(root):
    files = []
    for n in range(FILES):
        package = n // 20
        parent = "Object" if n % 20 == 0 else f"C{n - 1}<T>"
        methods = "".join(METHOD.format(i=i) for i in range(5))
        path = root / "gen" / f"p{package}" / f"C{n}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CLASS.format(n=n, package=package, parent=parent, methods=methods))
        files.append(path)
    return files


def compile_profiled(jdk, files):
    """Runs javac with the agent from its start; its result must be what it always is. Returns the recording."""
    path, out = ct.WORK / f"javac-{jdk.version}.jfr", ct.WORK / f"out-{jdk.version}"
    agent = ct.agent_options(file=path, interval="1ms")
    result = ct.run(jdk.javac, f"-J{agent}", "-nowarn", "-proc:none", "-d", out, *files)
    ct.ok((result.status, result.out, result.err) == (0, "", ""),
          f"{jdk}: javac compiles {len(files)} files as always", result)
    made = sum(1 for _ in out.rglob("*.class"))
    ct.ok(made >= 5 * len(files), f"{jdk}: {made} class files")
    return path


def check(jdk, files):
    path = compile_profiled(jdk, files)
    recording, report = ct.Recording(path), ct.report(path)
    compiler = [s for s in recording.samples if any(name.startswith("com.sun.tools.javac.") for name, _, _ in s.frames)]
    main_thread = recording.of_thread("main")
    ct.ok(len(compiler) >= 0.8 * len(main_thread) > 500,
          f"{jdk}: javac stands on {len(compiler)} stacks; its main thread has {len(main_thread)} samples")
    java = [method for method in report["methods"] if re.match(r"(java|javax|jdk|sun|com)\.", method["name"])]
    leaders = [method["name"] for method in sorted(java, key=lambda m: -m["total_share"])[:10]]
    ct.ok(sum(name.startswith("com.sun.tools.javac.") for name in leaders) >= 6,
          f"{jdk}: of Java's methods javac's lead by total", leaders)
    java = [s for s in recording.samples if s.of_java]
    strays = [s for s in recording.samples if s.has_java and not s.of_java]
    ct.ok(not strays, f"{jdk}: threads that are not Java's have no Java frames",
          f"{len(strays)}: {[(s.thread, s.frames[:3]) for s in strays[:5]]}")
    bare = sum(not s.has_java for s in java)
    ct.rate_below(bare, len(java), 0.05, f"{jdk}: samples of Java threads without a Java frame", outcomes(java))
    ct.identity_closes(report["books"], str(jdk))
    ct.residual_within(report["books"], 0.02, str(jdk))
    lines = sum(line > 0 for s in compiler for _, kind, line in s.frames if kind in ct.JAVA_FRAMES)
    frames = sum(kind in ct.JAVA_FRAMES for s in compiler for _, kind, _ in s.frames)
    ct.ok(lines >= 0.97 * frames, f"{jdk}: {lines} of {frames} Java frames have a line number")


def outcomes(samples):
    counts = {}
    for s in samples:
        if not s.has_java:
            key = (s.thread, s.outcome, s.state, *s.frames[:1])
            counts[key] = counts.get(key, 0) + 1
    return "\n".join(f"{count} {key}" for key, count in sorted(counts.items(), key=lambda item: -item[1])[:10])


def main():
    ct.need()
    files = generate(ct.WORK / "src")
    for jdk in ct.jdks():
        check(jdk, files)
    ct.done()


main()
