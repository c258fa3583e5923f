"""Reads the data of a flame graph page (web/README.md describes them), independently of the page's own code."""

import base64
import json
import re
import zlib

ELEMENT = re.compile(r'<script type="application/json" id="candor-data">(.*?)</script>', re.DOTALL)
ASCENDING = ("parent", "time")


def text(html):
    """The JSON as it is in the page."""
    return ELEMENT.search(html)[1]


def column(packed, ascending=False):
    values, value, shift, before = [], 0, 0, 0
    for byte in zlib.decompress(base64.b64decode(packed, validate=True)):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            before = value + before if ascending else value
            values.append(before)
            value = shift = 0
    return values


def read(html):
    """The data with their columns as lists, and with `total` of each node added."""
    data = json.loads(text(html))
    for table in filter(None, (data["nodes"], data.get("slices"))):
        for key, value in table.items():
            if isinstance(value, str):
                table[key] = column(value, key in ASCENDING)
                assert len(table[key]) == table["count"], (key, len(table[key]))
    nodes = data["nodes"]
    nodes["total"] = list(nodes["self"])
    for i in range(nodes["count"] - 1, 0, -1):
        nodes["total"][nodes["parent"][i]] += nodes["total"][i]
    return data
