"""Profiles in pprof's format: made by hand, and summed up by the tests' own reader."""
import collections
import gzip

import pb


def make(types, rows, period=None, start=None, seconds=None):
    """(name, unit) of the values; rows of (function, values[, labels]); period: (name, unit, number); start: seconds since the epoch;
    seconds: its length."""
    strings = [""]

    def text(word):
        if word not in strings:
            strings.append(word)
        return strings.index(word)

    functions = sorted({row[0] for row in rows})
    out = pb.message(*((1, pb.message((1, text(name)), (2, text(unit)))) for name, unit in types))
    for function, values, *more in rows:
        labels = [(3, pb.message((1, text(key)), (2, text(value)))) for key, value in (more[0] if more else {}).items()]
        out += pb.message((2, pb.message((1, functions.index(function) + 1), *((2, value) for value in values), *labels)))
    for i, function in enumerate(functions, 1):
        out += pb.message((4, pb.message((1, i), (4, pb.message((1, i))))), (5, pb.message((1, i), (2, text(function)))))
    if start:
        out += pb.message((9, start * 10**9))
    if seconds:
        out += pb.message((10, seconds * 10**9))
    if period:
        out += pb.message((11, pb.message((1, text(period[0])), (2, text(period[1])))), (12, period[2]))
    return out + pb.message(*((6, word.encode()) for word in strings))


def sums(data):
    """{"name:unit": sum} of a profile, packed or not."""
    strings, types, totals = [], [], collections.Counter()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    for number, value in pb.fields(data):
        if number == 6:
            strings.append(value.decode())
        elif number == 1:
            types.append(dict(pb.fields(value)))
        elif number == 2:
            place = 0
            for inner, numbers in pb.fields(value):
                for one in pb.packed(numbers) if inner == 2 else []:
                    totals[place] += one
                    place += 1
    return {f"{strings[of.get(1, 0)]}:{strings[of.get(2, 0)]}": totals[i] for i, of in enumerate(types)}
