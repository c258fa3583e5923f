"""The rows of a benchmark: dated, and written to their CSV file at once, because a run may be interrupted."""
import csv
import datetime
import os
import pathlib
import platform

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "benchmarks"


class Results:
    """FIELDS are those of a row, besides its date."""

    def __init__(self, path, fields):
        self.rows = []
        self.name = path.stem
        self.date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(path, "w", newline="")
        self.writer = csv.DictWriter(self.file, ("date", *fields), lineterminator="\n")
        self.writer.writeheader()

    def add(self, **row):
        row = {"date": self.date, **row}
        self.rows.append(row)
        self.writer.writerow(row)
        self.file.flush()
        return row

    @staticmethod
    def load():
        """How busy the machine was."""
        return f"The load average was {os.getloadavg()[1]:.1f} at the end. Above 2, other work ran beside this one, and made times longer."

    def origin(self):
        """The beginning of the page about these results: how they were made, and on which machine."""
        return (f"Made by `script/bench {self.name}` on {self.date}; raw data in `{self.name}.csv`. {os.cpu_count()} processors, "
                f"{platform.machine()}, Linux {platform.release().partition('-')[0]}")


def output_option(parser):
    parser.add_argument("--output", type=pathlib.Path, default=DOCS)
