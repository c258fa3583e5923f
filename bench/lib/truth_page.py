"""The page of bench/truth.py, from its rows."""
import math
import statistics

OURS = "candor"
LATE = ("candor, attached late", "candor, late and recompiled", "candor, at safepoints")


class Runs:
    """For each run the part that is farthest off: (points off, half of its interval, verdict), by case, tool, JDK and run."""

    def __init__(self, rows):
        self.tools, self.cases, self.verdicts, self.worst = [], [], {}, {}
        for row in rows:
            for name, seen in ((row["tool"], self.tools), (row["case"], self.cases)):
                if name not in seen:
                    seen.append(name)
            key = (row["case"], row["tool"], row["jdk"], row["run"])
            self.verdicts[key] = row["verdict"]
            if row["part"]:
                off = 100 * abs(float(row["share"]) - float(row["truth"]))
                half = 50 * (float(row["high"]) - float(row["low"]))
                self.worst[key] = max(self.worst.get(key, (-1, 0)), (off, half))

    def of(self, case, tool):
        return {key: worst for key, worst in self.worst.items() if key[:2] == (case, tool)}

    def cell(self, case, tool):
        runs = self.of(case, tool)
        if not runs:
            return "-"
        wrong = sum(self.verdicts[key] == "wrong" for key in runs)
        offs = [off for off, _ in runs.values()]
        text = f"{statistics.median(offs):.1f} ({max(offs):.1f})"
        return f"**{text}** {wrong}/{len(runs)}" if wrong else text

    def count(self, tool, verdict):
        return sum(one == verdict for key, one in self.verdicts.items() if key[1] == tool)

    def closer_peers(self):
        """Runs in which another profiler was closer than ours by more than the halves of both intervals allow (root of the sum of
        squares)."""
        for key, (off, half) in self.worst.items():
            case, tool, jdk, run = key
            own = self.worst.get((case, OURS, jdk, run))
            if not tool.startswith("candor") and own and own[0] - off > math.hypot(half, own[1]):
                yield f"{case}, JDK {jdk}: {tool} {off:.1f}, {OURS} {own[0]:.1f}"


def tools_table(runs):
    verdicts = ("true", "wrong", "failed", "skipped")
    yield f"| tool | {' | '.join(verdicts)} | median points off | most |"
    yield "|---" * (len(verdicts) + 3) + "|"
    for tool in runs.tools:
        offs = [off for key, (off, _) in runs.worst.items() if key[1] == tool]
        figures = f"{statistics.median(offs):.2f} | {max(offs):.1f}" if offs else "- | -"
        yield f"| {tool} | {' | '.join(str(runs.count(tool, one)) for one in verdicts)} | {figures} |"


def cases_table(runs, tools):
    yield f"| case | {' | '.join(tools)} |"
    yield "|---" * (len(tools) + 1) + "|"
    for case in runs.cases:
        yield f"| {case} | {' | '.join(runs.cell(case, tool) for tool in tools)} |"


def write_page(path, rows):
    runs = Runs(rows)
    jdks = sorted({int(row["jdk"]) for row in rows})
    peers = [tool for tool in runs.tools if not tool.startswith("candor")]
    clocks = [tool for tool in runs.tools if tool.startswith("candor") and tool not in LATE]
    closer = list(runs.closer_peers())
    lines = ["# Truth: how far profiles are off", "",
             f"Made by `script/bench truth` on {rows[0]['date']}, JDK {', '.join(map(str, jdks))}; raw data in `truth.csv`.",
             "The programs and what makes a run wrong: `candor verify --help`, `src/verify/README.md`. A sample each",
             "millisecond of CPU time.", "",
             *tools_table(runs), "",
             "In points, the part of a case that is farthest off: the median over JDKs (the most). Bold: more than a point outside its",
             "95 % interval, twice, or CPU time that is missing, in so many of so many runs.", "",
             "## Agent from the start, by clock", "", *cases_table(runs, clocks), "",
             "## Attached late, and at safepoints", "", *cases_table(runs, [tool for tool in LATE if tool in runs.tools]), "",
             "## The others", "", *cases_table(runs, peers), "",
             "## Where another is closer than ours by more than the noise", "", *([f"- {one}" for one in closer] or ["Nowhere."])]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())
