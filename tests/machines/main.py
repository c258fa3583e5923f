"""Runs recordings in emulated machines.

usage: script/machines [--list] [--out DIR] [--table FILE] [MACHINE[/JDK[/CELL]]...]

  --list         prints the cells that would run, and runs nothing
  --out DIR      keeps the recordings and everything that was printed in DIR
  --table FILE   writes the rows of these cells into the table of FILE (docs/machines.md)
  MACHINE...     for instance arm64-5.10, 'arm64-*', arm64-6.1/17/wall; all cells without one

A machine is an emulated processor (AArch64 or x86-64) with a Debian kernel (5.10, 6.1 or 6.12), its C library and its JDKs. A cell is one
recording there. The exit status is 1 if a cell has a problem. All cells take about an hour on two idle processors.
"""
import argparse
import pathlib
import sys
import tempfile

import cells
import machines
import table


def boot(machine, jdk, chosen, out):
    """Boots a machine for these cells, and judges them."""
    arguments = chosen[0].kernel_arguments
    cells.fill(out / "in", machine, jdk, [cells.line(cell, jdk) for cell in chosen], chosen)
    machine.boot(out / "in", out / "out", cells.BOOT + sum(cell.limit for cell in chosen), arguments)
    return [cells.judge(machine, jdk, cell, out / "out" / cell.name) for cell in chosen]


def run(machine, jdk, chosen, out):
    """The verdicts of these cells; those with a problem run once more, in another boot, because the host may have been busy."""
    verdicts = boot(machine, jdk, chosen, out)
    again = [cell for cell, verdict in zip(chosen, verdicts) if verdict.problems]
    if again:
        print(f"machines: {machine.name}: once more: {', '.join(cell.name for cell in again)}", flush=True)
        second = {verdict.cell: verdict for verdict in boot(machine, jdk, again, out.with_name(out.name + "-again"))}
        verdicts = [second.get(verdict.cell, verdict) for verdict in verdicts]
    return verdicts


def show(verdict):
    state = "; ".join(verdict.problems) or verdict.remark or "ok"
    print(f"{verdict.machine:11} {verdict.jdk:3} {verdict.cell:18} {verdict.clock:8} {verdict.samples:6} "
          f"{100 * verdict.failed:5.2f} {100 * verdict.truncated:5.2f} {100 * verdict.residual:6.1f}  {state}", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1], add_help=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    groups = [(machine, jdk, arguments, [cell for cell in chosen if cell.kernel_arguments == arguments])
              for machine in machines.MACHINES for jdk, _ in machine.jdks for chosen in [cells.chosen(machine, jdk, options.names)]
              for arguments in sorted({cell.kernel_arguments for cell in chosen})]
    if not groups:
        sys.exit(f"machines: no cell is called {' or '.join(options.names)}; --list shows all")
    if options.list:
        print("\n".join(f"{machine.name}/{jdk}/{cell.name}" for machine, jdk, _, chosen in groups for cell in chosen))
        return
    with tempfile.TemporaryDirectory(prefix="candor-machines-") as work:
        out = options.out or pathlib.Path(work)
        verdicts = []
        print("machine     JDK cell               clock    samples failed truncated residual (%)")
        for machine, jdk, arguments, chosen in groups:
            for verdict in run(machine, jdk, chosen, out / "-".join((machine.name, str(jdk), *arguments)).replace("=", "-")):
                verdicts.append(verdict)
                show(verdict)
    if options.table:
        table.write(options.table, verdicts, [(machine.name, jdk, cell.name) for machine in machines.MACHINES for jdk, _ in machine.jdks
                                              for cell in cells.chosen(machine, jdk, ())])
    bad = sum(bool(verdict.problems) for verdict in verdicts)
    print(f"{len(verdicts)} cells, {bad} with a problem")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
