"""The rows of a benchmark: dated, and written to their CSV file at once, because a run may be interrupted."""
import csv
import datetime
import pathlib

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "benchmarks"


class Results:
    """FIELDS are those of a row, besides its date."""

    def __init__(self, path, fields):
        self.rows = []
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


def output_option(parser):
    parser.add_argument("--output", type=pathlib.Path, default=DOCS)
