"""OTLP's ExportProfilesServiceRequest (1.10): made by hand as senders write it, and summed up by the tests' own reader."""
import collections
import struct

import pb


def varints(numbers):
    return b"".join(pb.varint(n) for n in numbers)


def double(number, value):
    return pb.varint(number << 3 | 1) + struct.pack("<Q", value)


class Maker:
    """single: repeated numbers one by one, not packed; indexed: attributes of resources refer to the dictionary."""

    def __init__(self, single=False, indexed=False, dictionary_first=False):
        self.single, self.indexed, self.dictionary_first = single, indexed, dictionary_first
        self.strings, self.functions, self.attributes, self.links = [""], [""], [(0, b"", 0)], [(b"", b"")]
        self.resources = b""

    def text(self, word):
        if word not in self.strings:
            self.strings.append(word)
        return self.strings.index(word)

    def numbers(self, number, values):
        if self.single:
            return pb.message(*((number, value) for value in values))
        return pb.message((number, varints(values))) if values else b""

    def value(self, value):
        if isinstance(value, int):
            return pb.message((3, value))
        return pb.message((8, self.text(value))) if self.indexed else pb.message((1, value.encode()))

    def function(self, name):
        if name not in self.functions:
            self.functions.append(name)
        return self.functions.index(name)

    def attribute(self, key, value):
        one = (self.text(key), self.value(value), 0)
        if one not in self.attributes:
            self.attributes.append(one)
        return self.attributes.index(one)

    def link(self, trace, span):
        self.links.append((trace, span))
        return len(self.links) - 1

    def profile(self, value, unit, rows, time_ns, period=None):
        """rows: (function, values, times in ns[, attributes[, (trace, span)]]); period: (name, unit, number)."""
        out = pb.message((1, pb.message((1, self.text(value)), (2, self.text(unit)))))
        for function, values, times, *more in rows:
            attributes = [self.attribute(*one) for one in (more[0] if more else {}).items()]
            stamps = b"".join(double(5, time) for time in times) if self.single else \
                pb.message((5, b"".join(struct.pack("<Q", time) for time in times))) if times else b""
            link = pb.message((3, self.link(*more[1]))) if len(more) > 1 else b""
            numbers = self.numbers(2, attributes) + link + self.numbers(4, values)
            out += pb.message((2, pb.message((1, self.function(function))) + numbers + stamps))
        out += double(3, time_ns)
        if period:
            out += pb.message((5, pb.message((1, self.text(period[0])), (2, self.text(period[1])))), (6, period[2]))
        return out

    def resource(self, attributes, *profiles):
        def key(name):
            return (3, self.text(name)) if self.indexed else (1, name.encode())
        pairs = (pb.message(key(name), (2, self.value(value))) for name, value in attributes.items())
        scope = pb.message(*((2, one) for one in profiles))
        self.resources += pb.message((1, pb.message((1, pb.message(*((1, pair) for pair in pairs))), (2, scope))))

    def message(self):
        tables = [(3, pb.message((1, self.text(name)))) for name in self.functions]
        tables += [(2, pb.message((3, pb.message((1, i))))) if i else (2, b"") for i in range(len(self.functions))]
        tables += [(7, self.numbers(1, [i])) if i else (7, b"") for i in range(len(self.functions))]
        tables += [(6, pb.message((1, key), (2, value), (3, unit))) for key, value, unit in self.attributes]
        tables += [(4, pb.message((1, trace), (2, span))) for trace, span in self.links]
        tables += [(5, word.encode()) for word in self.strings]
        dictionary = pb.message((2, pb.message(*tables)))
        return dictionary + self.resources if self.dictionary_first else self.resources + dictionary


def sums(data):
    """{(value, unit, period): sum} of all profiles of a message."""
    strings, found = [], collections.Counter()
    for number, part in pb.fields(data):
        strings += [value.decode() for inner, value in pb.fields(part) if inner == 5] if number == 2 else []
    for number, resource in pb.fields(data):
        scopes = [value for inner, value in pb.fields(resource) if inner == 2] if number == 1 else []
        for profile in (value for scope in scopes for inner, value in pb.fields(scope) if inner == 2):
            of, period, total = {}, 0, 0
            for inner, value in pb.fields(profile):
                if inner == 1:
                    of = dict(pb.fields(value))
                elif inner == 6:
                    period = value
                elif inner == 2:
                    total += sum(one for field, numbers in pb.fields(value) if field == 4 for one in pb.packed(numbers))
            found[strings[of.get(1, 0)], strings[of.get(2, 0)], period] += total
    return found
