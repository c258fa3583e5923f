"""Writes the table of docs/machines.md, between its two marks."""
BEGIN, END = "<!-- table: script/machines --table -->", "<!-- end of table -->"


def write(path, verdicts, order):
    """Puts these rows into the table. Those of other cells stay; order is all cells' (machine, JDK, name)."""
    head, rest = path.read_text().split(BEGIN)
    table, tail = rest.split(END)
    rows = {key(line): line for line in table.splitlines()[3:]}
    rows.update((key(line), line) for line in map(row, verdicts))
    rows = "\n".join(rows[place] for place in order if place in rows)
    path.write_text(f"{head}{BEGIN}\n| machine | JDK | situation | clock | samples | failed, % | truncated, % | residual, % | |\n"
                    f"|---|---|---|---|---|---|---|---|---|\n{rows}\n{END}{tail}")


def key(line):
    machine, jdk, cell = (field.strip() for field in line.split("|")[1:4])
    return machine, int(jdk), cell


def row(verdict):
    figures = (verdict.clock, verdict.samples, f"{100 * verdict.failed:.2f}", f"{100 * verdict.truncated:.2f}",
               f"{100 * verdict.residual:.1f}")
    cells = (verdict.machine, verdict.jdk, verdict.cell, *(figures if verdict.recorded else [""] * len(figures)),
             "; ".join(verdict.problems) or verdict.remark)
    return f"| {' | '.join(map(str, cells))} |"
