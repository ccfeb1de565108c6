#!/usr/bin/env python3
"""A second decoder of the wire format, written from docs/wire-format.md and not from src/wire.

    vyre_wire.py FILE.vyrb           the program or module as canonical text (docs/text-format.md, "Canonical text")
    vyre_wire.py --tree FILE.vyrb    the same as JSON

Exit codes: 0 decoded, 1 refused (`FILE: error[W006]: at byte 47: ...` on stderr), 2 usage or I/O. It decodes only: whether
a program is valid is the business of `vyre check`. It needs Python 3.8 and nothing else, and it never recurses.

test/cli/wire_decoder_test.py holds it against `vyre decode`.
"""
import hashlib
import json
import sys

from vyre_signs import run
from vyre_text import text

TYPES = {tag: name for tag, name in enumerate(
    "u32 i32 u64 u128 vec2u32 vec4u32 bool bytes f16 bf16 f32 tensor i8 u8".split(), 1)}
TYPES |= {0x12: "fp8_e4m3", 0x13: "fp8_e5m2", 0x14: "fp4_e2m1"}
SMALL = ("i8", "u8", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1")  # of tensors of graphs alone; there are no literals of them
LATER_TYPES, LATER_OPERATORS = range(0x10, 0x12), range(0x5d, 0x60)
WORDS = {"u64": 2, "vec2u32": 2, "u128": 4, "vec4u32": 4}  # of a literal; all others have one
MOST, MOST_ITEMS = 2**26, 2**16  # strings, statements, commands; items
ACCESSES = {1: "read", 2: "read_write", 3: "uniform", 4: "workgroup", 5: "private"}
ROUNDING = {0: "", 1: "trunc", 2: "nearest", 3: "floor", 4: "ceil"}
COMMANDS = {1: "scratch", 2: "let", 3: "dispatch", 4: "run", 5: "for", 6: "repeat", 7: "if"}
IDS = {5: "invocation_id", 6: "workgroup_id", 7: "local_id", 9: "num_workgroups"}
OPERATORS = {tag: name for tag, name in enumerate(
    "add sub mul div mod bit_and bit_or bit_xor shl shr eq ne lt gt le ge and or negate bit_not logical_not popcount "
    "clz ctz reverse_bits select cast bitcast call atomic_add atomic_or atomic_and atomic_xor atomic_min atomic_max "
    "atomic_exchange atomic_compare_exchange vec2u32 vec4u32 component fadd fsub fmul fdiv fmul_add fsqrt fmin fmax "
    "fneg fabs feq flt fgt fle fge fis_nan fis_inf ffloor fceil fround ftrunc freduce_strict "
    "freduce_tree_binary fsin fcos ftan fasin facos fatan fatan2 fexp flog fexp2 flog2 fexp10 flog10 fpow "
    "fsin_approx fcos_approx ftan_approx fasin_approx facos_approx fatan_approx fatan2_approx fexp_approx flog_approx "
    "fexp2_approx flog2_approx fexp10_approx flog10_approx fpow_approx freduce_approx".split(), 1)}
OPERANDS = {"select": 3, "cast": 1, "bitcast": 1, "vec4u32": 4, "component": 1, "atomic_compare_exchange": 3,
            "fmul_add": 3, "freduce_strict": 0, "freduce_tree_binary": 0, "freduce_approx": 0}
# Operations of graphs on tensors: how many expressions each has (with True, at least so many), and what stands behind them.
STEPS = {tag: (name, least, more, last) for tag, (name, least, more, last) in enumerate((
    ("value", 1, False, ""), ("transpose", 1, False, "axes"), ("slice", 1, False, "ranges"), ("broadcast", 1, False, "sizes"),
    ("reshape", 1, False, "sizes"), ("concat", 1, True, "axis"), ("pad", 2, False, "pads"), ("gather", 2, False, "axis"),
    ("scatter_add", 3, False, "axis"), ("index", 0, False, "sizes axis"), ("reduce", 1, False, "axis"),
    ("scan", 1, False, "axis"), ("recur", 2, True, "axis"), ("matmul", 2, False, "product"), ("sort", 1, False, "axis"),
    ("argsort", 1, False, "axis"), ("top_k", 1, False, "k axis"), ("arg_top_k", 1, False, "k axis")), 1)}
FOLDS = {name: name for name in "fadd fmul fmin fmax add mul bit_and bit_or bit_xor".split()}
FOLDS |= {"atomic_min": "min", "atomic_max": "max"}
GROUPS = {"sizes": 1, "pads": 2, "ranges": 3}  # expressions an axis
DEEPEST = 64  # operations on tensors in each other
UNARY = {"negate", "bit_not", "logical_not", "popcount", "clz", "ctz", "reverse_bits", "fsqrt", "fneg", "fabs",
         "fis_nan", "fis_inf", "ffloor", "fceil", "fround", "ftrunc", "fsin", "fcos", "ftan", "fasin",
         "facos", "fatan", "fexp", "flog", "fexp2", "flog2", "fexp10", "flog10"}
UNARY |= {name + "_approx" for name in UNARY if name + "_approx" in OPERATORS.values()}


def operands_of(operator):
    return 1 if operator in UNARY else OPERANDS.get(operator, 2)


class Refused(Exception):
    def __init__(self, code, offset, message):
        super().__init__(f"error[{code}]: at byte {offset}: {message}")
        self.code, self.offset = code, offset


class Decoder:
    def __init__(self, data):
        self.data, self.at = data, 0

    def refuse(self, code, message, offset=None):
        raise Refused(code, self.at if offset is None else offset, message)

    def remaining(self):
        return len(self.data) - self.at

    # The parts of the notation.

    def byte(self):
        if self.remaining() == 0:
            self.refuse("W003", "the file ends here")
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        begin, value = self.at, 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if value >= 2**32:
                self.refuse("W006", "a number of 2^32 or more", begin)
            if byte < 0x80:
                if byte == 0 and shift > 0:
                    self.refuse("W006", "a number in more bytes than it takes", begin)
                return value
        self.refuse("W006", "a number of more than five bytes", begin)

    def count(self, bytes_each, what, promised=0):
        begin, count = self.at, self.number()
        if count * bytes_each + promised > self.remaining():
            self.refuse("W007", f"{count} {what} in {self.remaining()} bytes, {promised} of them for others", begin)
        if what in ("strings", "statements", "commands") and count > MOST:
            self.refuse("W007", f"{count} {what}", begin)
        return count

    def name(self):
        begin, position = self.at, self.number()
        if position >= len(self.strings):
            self.refuse("W009", f"string {position} of {len(self.strings)}", begin)
        if position > self.named:
            self.refuse("W006", f"string {position} is referred to before string {self.named}", begin)
        self.named = max(self.named, position + 1)
        return self.strings[position]

    def tag(self, table, what):
        begin, tag = self.at, self.byte()
        if tag not in table:
            self.refuse("W005", f"{what} {tag}", begin)
        return table[tag]

    def type(self):
        if self.remaining() and self.data[self.at] in LATER_TYPES:
            self.refuse("W010", f"type {self.data[self.at]}")
        return self.tag(TYPES, "type")

    def operator(self):
        begin, tag = self.at, self.number()
        if tag in LATER_OPERATORS:
            self.refuse("W010", f"operator {tag}", begin)
        if tag not in OPERATORS:
            self.refuse("W005", f"operator {tag}", begin)
        return OPERATORS[tag]

    # The file.

    def file(self):
        data = self.data
        if data[:4] != b"VYRE":
            self.refuse("W001", "the magic is missing")
        if len(data) < 40:
            self.refuse("W003", "the file ends in its header", len(data))
        version = int.from_bytes(data[4:8], "little")
        if version not in (1, 2):
            self.refuse("W002", f"version {version}", 4)
        if hashlib.sha256(data[:8] + data[40:]).digest() != data[8:40]:
            self.refuse("W004", "the digest is not that of the file", 8)
        self.at = 40
        if version == 2:
            return self.module()
        program = self.program()
        self.end()
        self.end_item()
        return program

    def module(self):
        module, items = {}, 0
        for kind, least, read in (("operation", 13, self.operation), ("program", 9, self.program),
                                  ("pipeline", 7, self.pipeline), ("graph", 7, self.graph)):
            if kind == "graph" and self.data[self.at:self.at + 1] != b"\1":
                break
            self.at += kind == "graph"
            begin, count = self.at, self.count(least, kind + "s")
            if kind == "graph" and count == 0:
                self.refuse("W006", "graphs that are none", begin)
            items += count
            if items > MOST_ITEMS:
                self.refuse("W007", f"{items} items", begin)
            module[kind + "s"] = []
            for _ in range(count):
                module[kind + "s"].append(read())
                self.end_item()
        if [len(items) for items in module.values()] == [0, 1, 0]:
            self.refuse("W006", "one program, which is version 1", 4)
        self.end()
        return module

    def end(self):
        if self.remaining():
            self.refuse("W008", f"{self.remaining()} bytes follow")

    def end_item(self):
        if self.named != len(self.strings):
            self.refuse("W006", f"string {self.named} is never referred to", self.strings_at)
        for what, left in self.left.items():
            if left:
                self.refuse("W006", f"{left} {what} fewer than are counted", self.counts_at)

    def program(self):
        self.read_strings()
        buffers = [self.buffer() for _ in range(self.count(4, "buffers"))]
        size = [self.number() for _ in range(3)]
        self.counts(("expressions", 2), ("statements", 1))
        return {"name": self.strings[0], "buffers": buffers, "workgroup_size": size, "body": run(self.block())}

    def operation(self):
        self.read_strings()
        node = {"name": self.strings[0], "version": self.number()}
        node["parameters"] = [{"name": self.name(), "type": self.type()} for _ in range(self.count(2, "parameters"))]
        node["type"] = self.type()
        node["claims"] = [self.law() for _ in range(self.count(2, "claims"))]
        node["denials"] = [{**self.law(), "witness": self.values()} for _ in range(self.count(3, "denials"))]
        node["rows"] = [{"operands": self.values(), "result": self.value()} for _ in range(self.count(3, "rows"))]
        self.counts(("expressions", 2), ("statements", 1))
        node["body"] = run(self.block())
        node["result"] = run(self.one())
        return node

    def law(self):
        law = {"name": self.string(), "arguments": []}
        for _ in range(self.count(3, "arguments")):
            operation = self.string()
            law["arguments"].append({"operation": operation, "version": self.number()} if operation else
                                    {"bits": self.words(4)})
        return law

    def values(self):
        return [self.value() for _ in range(self.count(2, "values"))]

    def value(self):
        at, type_ = self.at, self.type()
        if type_ in ("bytes", "tensor", *SMALL):
            self.refuse("W005", f"a literal of {type_}", at)
        begin, bits = self.at, self.words(WORDS.get(type_, 1))
        if bits >> {"bool": 1, "f16": 16, "bf16": 16}.get(type_, 128):  # words are of 32 bits, so the others have none beyond
            self.refuse("W006", f"{bits:#x} has bits beyond those of a {type_}", begin)
        return {"is": "literal", "type": type_, "bits": bits}

    def words(self, count):
        return sum(self.number() << 32 * i for i in range(count))

    def pipeline(self):
        self.read_strings()
        buffers = [self.buffer() for _ in range(self.count(4, "buffers"))]
        self.counts(("expressions", 2), ("commands", 2), ("arguments", 3))
        return {"name": self.strings[0], "buffers": buffers, "commands": run(self.commands())}

    def graph(self):
        self.read_strings()
        self.counts(("expressions", 2), ("commands", 3))
        node = {"name": self.strings[0], "version": self.number()}
        for kind in ("parameters", "outputs"):
            node[kind] = [{"name": self.name(), "type": self.type(), "sizes": run(self.sizes(1))}
                          for _ in range(self.count(3, kind))]
        node["steps"] = [run(self.step()) for _ in range(self.claim(self.left["commands"], "commands"))]
        if misplaced(node["steps"]):
            self.refuse("W006", "a step does not stand where a text has it", self.counts_at)
        return node

    def sizes(self, group):
        return (yield self.expressions(group * self.count(2 * group, "sizes")))

    def step(self):
        kind, least, more, last = self.tag(STEPS, "operation on tensors")
        node = {"is": kind, "names": [self.name() for _ in range(1 + self.count(1, "names") if kind == "value" else 1)]}
        if kind in ("reduce", "scan"):
            begin, fold = self.at, self.operator()
            if fold not in FOLDS:
                self.refuse("W005", f"{fold} folds nothing", begin)
            node["fold"] = FOLDS[fold]
            if fold.startswith("f"):
                node["order"] = self.tag({1: "strict", 2: "tree"}, "order")
        elif kind == "recur":
            node["operation"], node["version"] = self.name(), self.number()
        node["operands"] = yield self.expressions(least + (self.count(2, "tensors") if more else 0))
        for part in last.split():
            if part in GROUPS:
                node[part] = yield self.sizes(GROUPS[part])
            elif part == "axes":
                node["axes"] = [self.number() for _ in range(self.count(1, "axes"))]
            elif part == "axis":
                node["axis"] = self.number()
            elif part == "k":
                node["k"] = yield self.one()
            elif self.tag({0: False, 1: True}, "flag of an accumulator"):
                node["type"], node["block"] = self.type(), self.number()
        return node

    def counts(self, *counted):
        """Of each, what no block or operator has claimed yet, and what was not read yet."""
        self.counts_at, self.left, self.bytes_each, promised = self.at, {}, dict(counted), 0
        for what, each in counted:
            self.left[what] = self.count(each, what, promised)
            promised += each * self.left[what]
        self.unread = dict(self.left)

    def read_strings(self):
        self.strings_at, self.strings, self.named = self.at, [], 1
        seen, count = set(), self.count(1, "strings")
        if count == 0:
            self.refuse("W006", "no string, and the first is the item's name", self.strings_at)
        for i in range(count):
            begin, content = self.at, self.string()
            if content in seen:
                self.refuse("W006", f"string {i} stands in the table already", begin)
            seen.add(content)
            self.strings.append(content)

    def string(self):
        length = self.count(1, "characters")
        content = self.data[self.at:self.at + length]
        for offset, byte in enumerate(content, self.at):
            if not 0x21 <= byte <= 0x7E:
                self.refuse("W011", f"character {byte:#04x} in a string", offset)
        self.at += length
        return content.decode("ascii")

    def buffer(self):
        decl = {"name": self.name(), "access": self.tag(ACCESSES, "access"), "type": self.type()}
        if decl["type"] == "tensor":
            begin, element = self.at, self.type()
            if element == "tensor":
                self.refuse("W005", "a tensor of tensors", begin)
            decl["tensor"] = {"element": element, "dims": [self.dim() for _ in range(self.count(2, "dimensions"))],
                              "strides": [self.number() for _ in range(self.count(1, "strides"))]}
        decl["count" if decl["access"] in ("workgroup", "private") else "binding"] = self.number()
        return decl

    def dim(self):
        if self.tag({0: False, 1: True}, "kind of dimension"):
            return {"name": self.name(), "buffer": self.name(), "index": self.number()}
        return {"size": self.number()}

    def claim(self, count, what):
        if count > self.left[what]:
            self.refuse("W006", f"more {what} than are counted", self.counts_at)
        self.left[what] -= count
        return count

    # Statements and expressions: generators for run().

    def block(self, what="statements"):
        begin, count = self.at, self.number()
        unread = sum(each * self.unread[counted] for counted, each in self.bytes_each.items())
        if max(count, unread) > self.remaining():
            self.refuse("W007", f"{count} {what}, {unread} bytes to come, {self.remaining()} remain", begin)
        read, nodes = self.statement if what == "statements" else self.command, []
        for _ in range(self.claim(count, what)):
            self.unread[what] -= 1
            nodes.append((yield read()))
        return nodes

    def commands(self):
        return self.block("commands")

    def command(self):
        kind = self.tag(COMMANDS, "command")
        node = {"is": kind}
        if kind != "if":
            node["name"] = self.name()
        if kind == "scratch":
            node["type"] = self.type()
        if kind == "run":
            node["version"] = self.number()
        if kind in ("dispatch", "run"):
            node["arguments"] = yield self.arguments()
        operands = {"run": 0, "for": 2, "repeat": 2}.get(kind, 1)
        if kind == "dispatch":
            operands = self.tag({1: 1, 2: 2, 3: 3}, "number of axes")
        node["operands"] = yield self.expressions(operands)
        if kind == "let":
            node["value"], = node.pop("operands")
        if kind == "for":
            node["from"], node["to"] = node.pop("operands")
        if kind == "if":
            node["condition"], = node.pop("operands")
            has_else = self.tag({0: False, 1: True}, "flag of an else")
            node["then"] = yield self.commands()
            if has_else:
                node["else"] = yield self.commands()
        elif kind in ("for", "repeat"):
            node["body"] = yield self.commands()
        return node

    def arguments(self):
        arguments = []
        for _ in range(self.claim(self.count(3, "arguments"), "arguments")):
            self.unread["arguments"] -= 1
            argument = {"name": self.name()}
            if self.tag({0: False, 1: True}, "flag of a list"):
                argument["words"] = yield self.expressions(1 + self.count(2, "words"))
            else:
                argument["buffer"] = self.name()
            arguments.append(argument)
        return arguments

    def expressions(self, count):
        values = []
        for _ in range(self.claim(count, "expressions")):
            self.unread["expressions"] -= 1
            values.append((yield self.expression()))
        return values

    def one(self):
        return (yield self.expressions(1))[0]

    def statement(self):
        begin, tag = self.at, self.byte()
        if tag in (1, 2):
            return {"is": "let" if tag == 1 else "assign", "name": self.name(), "value": (yield self.one())}
        if tag == 3:
            name = self.name()
            values = yield self.expressions(2 + self.count(2, "indices"))
            return {"is": "store", "buffer": name, "index": values[:-1], "value": values[-1]}
        if tag == 4:
            node = {"is": "if", "condition": (yield self.one())}
            has_else = self.tag({0: False, 1: True}, "flag of an else")
            node["then"] = yield self.block()
            if has_else:
                node["else"] = yield self.block()
            return node
        if tag in (5, 9):
            node = {"is": "for", "name": self.name()}
            if tag == 9:
                node["unroll"] = True
            node["from"], node["to"] = yield self.expressions(2)
            node["body"] = yield self.block()
            return node
        if tag in (6, 8):
            return {"is": "return" if tag == 6 else "barrier"}
        if tag == 7:
            return {"is": "block", "body": (yield self.block())}
        self.refuse("W005", f"statement {tag}", begin)

    def expression(self):
        begin, tag = self.at, self.byte()
        if tag == 1:
            return self.value()
        if tag == 2:
            return {"is": "variable", "name": self.name()}
        if tag == 3:
            name = self.name()
            return {"is": "load", "buffer": name, "index": (yield self.expressions(1 + self.count(2, "indices")))}
        if tag == 4:
            return {"is": "len", "buffer": self.name()}
        if tag in IDS:
            return {"is": IDS[tag], "axis": self.number()}
        if tag != 8:
            self.refuse("W005", f"expression {tag}", begin)
        op = self.operator()
        node, operands = {"is": "operator", "operator": op}, operands_of(op)
        if op in ("cast", "bitcast"):
            node["type"] = self.type()
        if op == "cast":
            node["rounding"] = self.tag(ROUNDING, "rounding mode")
        elif op == "component":
            node["component"] = self.number()
        elif op == "call":
            node["operation"], node["version"] = self.name(), self.number()
            operands = self.count(2, "arguments")
        elif op.startswith("atomic_"):
            node["buffer"] = self.name()
        elif op.startswith("freduce_"):
            node["buffer"], node["fold"] = self.name(), self.operator()
            if op == "freduce_approx":
                begin, node["tolerance"] = self.at, self.number()
                if node["tolerance"] > 0xFFFF:
                    self.refuse("W006", "a tolerance of 2^16 or more", begin)
            operands = 2 if self.tag({0: False, 1: True}, "flag of a range") else 0
        node["operands"] = yield self.expressions(operands)
        return node


def misplaced(steps):
    """Whether steps stand in another order than that of a text, where those in an expression stand directly before it."""
    waiting = []  # (name, how deep) of those that a later step has to use
    for number, step in enumerate(steps):
        used, work = [], step["operands"][::-1]
        while work:
            node = work.pop()
            if node["is"] == "variable" and node["name"].startswith("#"):
                used.append(node["name"])
            work += node.get("operands", node.get("index", []))[::-1]
        rest, names, first = len(waiting) - len(used), step["names"], (step["operands"] or [{"is": ""}])[0]
        if rest < 0 or [name for name, _ in waiting[rest:]] != used:
            return True
        depth = max((depth for _, depth in waiting[rest:]), default=0)
        del waiting[rest:]
        value = step["is"] == "value"
        if value and used and first["is"] == "variable" or len(names) > 1 and not (value and first.get("operator") == "call"):
            return True
        if len(names) == 1 and names[0].startswith("#"):
            if value or depth == DEEPEST or names[0] != f"#{number}":
                return True
            waiting.append((names[0], depth + 1))
        elif waiting or any(name.startswith("#") for name in names):
            return True
    return bool(waiting)


def decode(data):
    """The program or module of these bytes as dicts and lists; raises Refused."""
    return Decoder(data).file()


def tree(program):
    """JSON, an object a line; by hand because json.dumps recurses. Deep levels are indented no further."""
    out, work = [], [("value", program, 0)]
    while work:
        what, value, depth = work.pop()
        if what == "text":
            out.append(value)
        elif isinstance(value, (dict, list)) and value:
            keyed = isinstance(value, dict)
            parts = [("text", "{" if keyed else "[", 0)]
            for i, key in enumerate(value):
                lead = ", " if i else ""
                if keyed:
                    parts.append(("text", f"{lead}{json.dumps(key)}: ", 0))
                    parts.append(("value", value[key], depth + 1))
                else:
                    nested = isinstance(key, (dict, list))
                    parts.append(("text", ("," if i else "") + "\n" + "  " * min(depth, 64) if nested else lead, 0))
                    parts.append(("value", key, depth + 1))
            parts.append(("text", "}" if keyed else "]", 0))
            work.extend(reversed(parts))
        else:
            out.append(json.dumps(value))
    return "".join(out) + "\n"


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    files = [a for a in arguments if not a.startswith("--")]
    if len(files) != 1 or any(o != "--tree" for o in options):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(files[0], "rb") as file:
            data = file.read()
    except OSError as error:
        print(f"{files[0]}: {error.strerror}", file=sys.stderr)
        return 2
    try:
        decoded = decode(data)
    except Refused as refused:
        print(f"{files[0]}: {refused}", file=sys.stderr)
        return 1
    sys.stdout.write(tree(decoded) if options else text(decoded))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
