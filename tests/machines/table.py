"""Writes the table of docs/machines.md, between its two marks."""
BEGIN, END = "<!-- table: script/machines --table -->", "<!-- end of table -->"


def write(path, verdicts):
    head, rest = path.read_text().split(BEGIN)
    _, tail = rest.split(END)
    rows = "\n".join(row(verdict) for verdict in verdicts)
    path.write_text(f"{head}{BEGIN}\n| machine | JDK | situation | clock | samples | failed, % | truncated, % | residual, % | |\n"
                    f"|---|---|---|---|---|---|---|---|---|\n{rows}\n{END}{tail}")


def row(verdict):
    return (f"| {verdict.machine} | {verdict.jdk} | {verdict.cell} | {verdict.clock} | {verdict.samples} | {100 * verdict.failed:.2f} | "
            f"{100 * verdict.truncated:.2f} | {100 * verdict.residual:.1f} | {'; '.join(verdict.problems)} |")
