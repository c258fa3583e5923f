"""A small, strict reader of JFR files, written independently of Candor's own reader, so that the tests have a second opinion.

    for event in jfrfile.events(path, {"candor.CpuSample"}):
        event["startTime"]                      # nanoseconds since the epoch
        event["stackTrace"]["frames"][0]        # constants are resolved, nested structures are dicts

Unlike a tool for users it accepts no damage: a chunk that is cut, an event that does not end at its declared size, or bytes after the
last chunk raise ValueError. A file that passes here is whole.
"""
import re
import struct

METADATA, CHECKPOINT = 0, 1
UTF8 = 3
PADDING = "candor.Padding"  # contains nothing, whatever its bytes are


def events(path, wanted=None):
    """Yields each event (of the wanted type names, or all) as a dict; '@type' is the type's name."""
    with open(path, "rb") as file:
        data = file.read()
    for chunk in chunks(data):
        yield from chunk.events(wanted)


def chunks(data):
    """Splits the bytes of a file into chunks; there must be at least one, and nothing after the last."""
    offset, found = 0, []
    while offset < len(data):
        chunk = Chunk(data, offset)
        found.append(chunk)
        offset += chunk.size
    if not found:
        raise ValueError("empty file")
    return found


class Chunk:
    def __init__(self, data, offset):
        header = data[offset:offset + 68]
        if len(header) < 68 or header[:4] != b"FLR\0":
            raise ValueError(f"no chunk header at offset {offset}")
        (self.major, self.minor, self.size, checkpoint, metadata, self.start_ns, self.duration_ns, self.start_ticks,
         self.ticks_per_second, _) = struct.unpack(">HHqqqqqqqi", header[4:])
        if self.size < 68 or offset + self.size > len(data):
            raise ValueError(f"chunk at {offset} claims {self.size} bytes, {len(data) - offset} are there")
        self.input = Input(data[offset:offset + self.size])
        self.types = self._read_metadata(metadata)
        self.readers = {}
        self.pools = {}
        self._read_checkpoints(checkpoint)

    # -- metadata ------------------------------------------------------------------------------------------------

    def _read_metadata(self, offset):
        data = self.input
        data.pos = offset
        size, type_id = data.varint(), data.varint()
        if type_id != METADATA:
            raise ValueError(f"metadata event expected at {offset}, found type {type_id}")
        data.varint(), data.varint(), data.varint()
        strings = [data.string(None) for _ in range(data.varint())]
        root = self._element(strings)
        if data.pos != offset + size:
            raise ValueError("the metadata event ends off its declared size")
        types = {}
        for element in next(child for child in root["children"] if child["name"] == "metadata")["children"]:
            if element["name"] == "class":
                described = Type(element)
                types[described.id] = described
        return types

    def _element(self, strings):
        data = self.input
        name = strings[data.varint()]
        attributes = {}
        for _ in range(data.varint()):
            key = strings[data.varint()]
            attributes[key] = strings[data.varint()]
        children = [self._element(strings) for _ in range(data.varint())]
        return {"name": name, "attributes": attributes, "children": children}

    # -- constants -----------------------------------------------------------------------------------------------

    def _read_checkpoints(self, offset):
        data = self.input
        symbols = next((one.id for one in self.types.values() if one.name == "jdk.types.Symbol"), None)
        while offset:
            data.pos = offset
            size, type_id = data.varint(), data.varint()
            if type_id != CHECKPOINT:
                raise ValueError(f"checkpoint expected at {offset}, found type {type_id}")
            data.varint(), data.varint()
            delta = data.varint()
            data.byte()
            for _ in range(data.varint()):
                pool_type = data.varint()
                pool = self.pools.setdefault(pool_type, {})
                read = self.reader(pool_type)
                for _ in range(data.varint()):
                    key = data.varint()
                    if pool_type == symbols and data.data[data.pos] != UTF8:
                        raise ValueError(f"symbol {key} is in a coding that other readers do not know")
                    value = read(data)
                    pool.setdefault(key, value)
            if data.pos != offset + size:
                raise ValueError(f"the checkpoint at {offset} ends off its declared size")
            offset = offset + delta if delta else 0
        return self.pools

    # -- events --------------------------------------------------------------------------------------------------

    def events(self, wanted=None):
        data, offset = self.input, 68
        while offset < self.size:
            data.pos = offset
            size, type_id = data.varint(), data.varint()
            if size <= 0 or offset + size > self.size:
                raise ValueError(f"event at {offset} claims {size} bytes")
            if type_id not in (METADATA, CHECKPOINT):
                described = self.types.get(type_id)
                if described is None:
                    raise ValueError(f"event at {offset} has the undescribed type {type_id}")
                if wanted is None or described.name in wanted or described.name == PADDING:
                    event = self.reader(type_id)(data)
                    if data.pos != offset + size:
                        raise ValueError(f"{described.name} at {offset} ends off its declared size")
                if described.name != PADDING and (wanted is None or described.name in wanted):
                    event = self.resolve(event)
                    event["@type"] = described.name
                    if "startTime" in event:
                        ticks = event["startTime"] - self.start_ticks
                        event["startTime"] = self.start_ns + ticks * 1_000_000_000 // self.ticks_per_second
                    if "duration" in event:
                        event["duration"] = event["duration"] * 1_000_000_000 // self.ticks_per_second
                    yield event
            offset += size

    def reader(self, type_id):
        """A function that reads one value of this type; references to constants are kept until resolve()."""
        if type_id not in self.readers:
            described = self.types[type_id]
            primitive = PRIMITIVES.get(described.name)
            if primitive:
                self.readers[type_id] = primitive
            elif described.name == "java.lang.String":
                self.readers[type_id] = lambda data: data.string(type_id)
            else:
                self.readers[type_id] = self._struct_reader(described)
        return self.readers[type_id]

    def _struct_reader(self, described):
        fields = []
        for field in described.fields:
            if field.constant:
                read = (lambda kind: lambda data: Reference(kind, data.varint()))(field.type)
            else:
                read = (lambda kind: lambda data: self.reader(kind)(data))(field.type)
            if field.array:
                read = (lambda one: lambda data: [one(data) for _ in range(data.varint())])(read)
            fields.append((field.name, read))
        if described.simple and len(fields) == 1:
            return fields[0][1]
        return lambda data: {name: read(data) for name, read in fields}

    def resolve(self, value):
        """Follows references. A resolved constant is shared: it replaces the raw constant in its pool."""
        if isinstance(value, Reference):
            pool = self.pools.get(value.kind, {})
            if value.key not in pool:
                return None
            raw = pool[value.key]
            if isinstance(raw, Resolved):
                return raw.value
            pool[value.key] = Resolved(None)  # a cycle (class loader <-> class) ends here
            pool[value.key] = Resolved(self.resolve(raw))
            return pool[value.key].value
        if isinstance(value, dict):
            return {name: self.resolve(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.resolve(part) for part in value]
        return value


class Reference:
    __slots__ = ("kind", "key")

    def __init__(self, kind, key):
        self.kind, self.key = kind, key


class Resolved:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Type:
    def __init__(self, element):
        attributes = element["attributes"]
        self.id = int(attributes["id"])
        self.name = attributes["name"]
        self.simple = attributes.get("simpleType") == "true"
        self.fields = [Field(child["attributes"]) for child in element["children"] if child["name"] == "field"]


class Field:
    def __init__(self, attributes):
        self.name = attributes["name"]
        self.type = int(attributes["class"])
        self.constant = attributes.get("constantPool") == "true"
        self.array = attributes.get("dimension") == "1"


class Input:
    def __init__(self, data):
        self.data, self.pos = data, 0

    def byte(self):
        self.pos += 1
        return self.data[self.pos - 1]

    def take(self, count):
        self.pos += count
        if self.pos > len(self.data):
            raise ValueError("read past the end of the chunk")
        return self.data[self.pos - count:self.pos]

    def varint(self):
        """Little-endian base 128; the ninth byte carries eight bits. Signed 64-bit two's complement."""
        value = shift = 0
        for index in range(9):
            part = self.byte()
            if index == 8:
                value |= part << shift
                break
            value |= (part & 0x7f) << shift
            if part < 0x80:
                break
            shift += 7
        return value - (1 << 64) if value >> 63 else value

    def string(self, type_id):
        coding = self.byte()
        if coding == 0:
            return None
        if coding == 1:
            return ""
        if coding == 2:
            return Reference(type_id, self.varint())
        if coding == 3:
            return self.take(self.varint()).decode("utf-8", "replace")
        if coding == 4:
            return "".join(chr(self.varint()) for _ in range(self.varint()))
        if coding == 5:
            return self.take(self.varint()).decode("latin-1")
        raise ValueError(f"unknown string coding {coding}")


def labels(text):
    """The labels of a context (docs/formats/recording.md), or None if there is none."""
    if text is None:
        return None
    pairs = re.findall(r"((?:[^;\\]|\\.)+)(?:; ?|$)", text, re.S)
    return dict(re.sub(r"\\(.)", r"\1", pair, flags=re.S).split("=", 1) for pair in pairs)


def signed32(value):
    """An int is written as its 32 bits, so a negative one comes back as a large positive number."""
    return value - (1 << 32) if 1 << 31 <= value < 1 << 32 else value


PRIMITIVES = {
    "boolean": lambda data: data.byte() != 0,
    "byte": lambda data: struct.unpack("b", data.take(1))[0],
    "char": lambda data: data.varint(),
    "short": lambda data: data.varint(),
    "int": lambda data: signed32(data.varint()),
    "long": lambda data: data.varint(),
    "float": lambda data: struct.unpack(">f", data.take(4))[0],
    "double": lambda data: struct.unpack(">d", data.take(8))[0],
}
