"""The canonical text (docs/text-format.md, "Canonical text") of a program or module that vyre_wire.py decoded.

What ends a line is decided over the pieces of a whole statement, each with what it costs to break before it; everything
else is written straight from the tree. Generators stand for recursion: what one yields is run to its end before it goes
on, on a stack of its own.
"""
import vyre_float
from vyre_signs import INFIX, PREFIX, name_signs, run


ARITHMETIC, SHIFT, BITWISE, COMPARISON = (9, 8), (7,), (6, 5, 4), (3,)
NEVER, AFTER_EQUAL, FORCED, LEVEL = 1 << 40, 1 << 39, 1 << 38, 16


def number(bits):
    return str(bits) if bits < 65536 else hex(bits)


def versioned(name, version):
    return name if version == 1 else f"{name}@{version}"


def literal(node):
    bits, kind = node["bits"], node["type"]
    if kind == "bool":
        return {0: "false", 1: "true"}.get(bits, f"{bits}bool")  # the last is text that nothing reads
    if kind in vyre_float.FORMATS:
        return vyre_float.literal(kind, bits)
    suffix = "" if kind == "u32" else kind
    if kind == "i32" and bits >= 2**31:
        return f"{bits - 2**32}i32"
    return number(bits) + suffix


def needs_parentheses(outer, operand, right):
    """Whether the infix operator `outer` takes this operand in parentheses."""
    if operand.get("sign") not in INFIX:
        return False
    (_, out), (_, inner) = INFIX[outer], INFIX[operand["sign"]]
    if (out in SHIFT and inner in ARITHMETIC or out in ARITHMETIC and inner in SHIFT or
            out in BITWISE and inner in BITWISE and out != inner or out in COMPARISON and inner in COMPARISON):
        return True
    return inner <= out if right else inner < out


class Text:
    def __init__(self):
        self.out, self.depth = [], 0
        self.unit, self.nesting, self.cost = [], 0, NEVER
        self.nested = {}  # of a graph: operations on tensors that stand in expressions, by name

    # A unit is what stands in lines of its own: a statement without its blocks. Its pieces are the text, whether a blank
    # stands before it, and what it costs to break the line there.

    def put(self, text, blank=False):
        self.unit.append((text, blank, self.cost))
        self.cost = NEVER

    def open(self, text, blank=False):
        self.put(text, blank)
        self.nesting += 1

    def close(self, text):
        self.nesting -= 1
        self.put(text)

    def comma(self):
        self.put(",")
        self.cost = self.nesting * LEVEL

    def equal(self):
        self.put("=", True)
        self.cost = AFTER_EQUAL

    def line_end(self, first, column, end=None):
        limit, best, over = max(110, column + 40), first, False
        end = len(self.unit) if end is None else end
        for i in range(first, end):
            text, blank, cost = self.unit[i]
            if i > first and cost == FORCED:
                return i
            if i > first and cost != NEVER:
                if over:
                    return i
                if best == first or cost <= self.unit[best][2]:
                    best = i
            column += len(text) + (blank and i > first)
            over = over or column > limit
            if over and best != first:
                return best
        return end

    def pieces(self, first, end):
        for i in range(first, end):
            text, blank, _ = self.unit[i]
            self.out.append(" " + text if blank and i > first else text)

    def indent(self):
        return min(2 * self.depth, 128)

    def new_line(self, more=0):
        self.out.append("\n" + " " * (self.indent() + more))

    def end_unit(self, column=None):
        self.lines(0, self.indent() if column is None else column, 4)
        self.unit, self.cost = [], NEVER

    def lines(self, first, column, further):
        """The pieces from `first` on; what goes on in a new line is indented by `further`."""
        begin, clause = first, False  # what a clause lists goes on further in than it begins
        while first < len(self.unit):
            if first > begin:
                begins = self.unit[first][2] == FORCED
                clause = clause or begins
                more = further * 2 if clause and not begins else further
                self.new_line(more)
                column = self.indent() + more
            end = self.line_end(first, column)
            self.pieces(first, end)
            first = end

    def header(self, word, program):
        self.put(word)
        self.put(program["name"], True)
        self.open("(")
        starts = []
        for i, buffer in enumerate(program["buffers"]):
            if i:
                self.comma()
            starts.append(len(self.unit))
            self.put(buffer["access"], i > 0)
            self.put(buffer["name"], True)
            self.put(":")
            self.put(buffer["type"], True)
            if buffer["type"] == "tensor":
                self.shape(buffer["tensor"])
            for text in (["[", str(buffer["count"]), "]"] if "count" in buffer else [f"@{buffer['binding']}"]):
                self.put(text, text[0] == "@")
        end = len(self.unit)
        self.close(")")
        if word == "program":
            self.cost = 0
            self.put("workgroup", True)
            self.open("(")
            for i, size in enumerate(program["workgroup_size"]):
                if i:
                    self.comma()
                self.put(str(size), i > 0)
            self.close(")")
        self.end_header(starts, end)

    def end_header(self, starts, end):
        """`starts`: where parameters begin; `end`: where the parenthesis closes."""
        self.put("{", True)
        fits = self.line_end(0, 0)
        if fits == len(self.unit):
            self.pieces(0, fits)
        elif fits == end + 1:
            self.pieces(0, fits)
            self.new_line(4)
            self.lines(fits, 4, 8)
        else:
            self.pieces(0, 3)
            for first, after in zip(starts, starts[1:] + [end]):
                more = 2
                while first < after:
                    line = self.line_end(first, more, after)
                    self.new_line(more)
                    self.pieces(first, line)
                    first, more = line, 6
            self.new_line()
            self.pieces(end, end + 1)
            self.out.append(" " * self.unit[end + 1][1])
            self.lines(end + 1, 2, 4)
        self.unit, self.cost = [], NEVER

    def shape(self, tensor):
        """What follows the word `tensor`."""
        self.open("<")
        self.put(tensor["element"])
        self.comma()
        self.open("[", True)
        for i, dim in enumerate(tensor["dims"]):
            if i:
                self.comma()
            if "size" in dim:
                self.put(str(dim["size"]), i > 0)
                continue
            self.put(dim["name"], i > 0)
            self.equal()
            self.put(dim["buffer"], True)
            self.open("[")
            self.put(str(dim["index"]))
            self.close("]")
        self.close("]")
        if tensor["strides"]:
            self.comma()
            self.put("strides", True)
            self.open("[")
            for i, stride in enumerate(tensor["strides"]):
                if i:
                    self.comma()
                self.put(str(stride), i > 0)
            self.close("]")
        self.close(">")

    def program(self, program):
        self.header("program", program)
        run(self.block(program["body"], self.statement))
        return "".join(self.out)

    def pipeline(self, pipeline):
        self.header("pipeline", pipeline)
        run(self.block(pipeline["commands"], self.statement))
        return "".join(self.out)

    def graph(self, graph):
        starts, outputs, written = [], {output["name"] for output in graph["outputs"]}, []
        self.put("graph")
        self.put(versioned(graph["name"], graph["version"]), True)
        self.tensors(graph["parameters"], starts)
        end = len(self.unit) - 1
        self.cost = 0
        self.put("->", True)
        self.tensors(graph["outputs"], [], True)
        self.end_header(starts, end)
        for node in graph["steps"]:
            if len(node["names"]) == 1 and node["names"][0].startswith("#"):
                self.nested[node["names"][0]] = node  # written where its name stands
            else:
                written.append({"is": "step", "let": len(node["names"]) > 1 or node["names"][0] not in outputs, "step": node})
        run(self.block(written, self.statement))
        return "".join(self.out)

    def tensors(self, tensors, starts, blank=False):
        self.open("(", blank)
        for i, tensor in enumerate(tensors):
            if i:
                self.comma()
            starts.append(len(self.unit))
            self.put(tensor["name"], i > 0)
            self.put(":")
            self.put(tensor["type"], True)
            run(self.bracketed(tensor["sizes"]))
        self.close(")")

    def step(self, node, blank):
        """An operation on tensors, or an expression of a graph."""
        kind, operands = node["is"], node["operands"]
        if kind == "value":
            return (yield self.expression(operands[0], blank))
        self.put(kind, blank)
        self.open("(")
        texts = [str(node["axis"])] if kind == "concat" else [node[word] for word in ("fold", "order") if word in node]
        if kind == "recur":
            texts = [versioned(node["operation"], node["version"])]
        behind = operands[1:] if kind == "pad" else []
        parts = texts + (operands[:1] if kind == "pad" else operands)
        for word in ("axes", "sizes", "pads", "ranges"):
            parts += [word] if word in node else []
        parts += behind + ([node["k"]] if "k" in node else [])
        if "type" in node:
            parts += [node["type"]] + [str(node["block"])] * (node["block"] != 0xFFFFFFFF)
        if "axis" in node and kind != "concat":
            parts.append(str(node["axis"]))
        for i, part in enumerate(parts):
            if i:
                self.comma()
            if isinstance(part, dict):
                yield self.expression(part, i > 0)
            elif part in node:
                yield self.list_of(node[part], part, i > 0)
            else:
                self.put(part, i > 0)
        self.close(")")

    def list_of(self, values, kind, blank):
        """Axes, sizes, or two or three of them an axis."""
        group = {"pads": 2, "ranges": 3}.get(kind, 1)
        self.open("[", blank)
        for i, value in enumerate(values):
            if i % group == 0 and i:
                self.comma()
            elif i % group == 1:
                self.put("..")
            elif i % group == 2:
                if (value["is"], value.get("type"), value.get("bits")) == ("literal", "u32", 1):
                    continue
                self.put("step", True)
            if kind == "axes":
                self.put(str(value), i > 0)
            else:
                yield self.expression(value, i % group == 2 or i % group == 0 and i > 0)
        self.close("]")

    def operation(self, operation):
        self.put("operation")
        self.put(versioned(operation["name"], operation["version"]), True)
        self.open("(")
        for i, parameter in enumerate(operation["parameters"]):
            if i:
                self.comma()
            self.put(parameter["name"], i > 0)
            self.put(":")
            self.put(parameter["type"], True)
        self.close(")")
        self.put("->", True)
        self.put(operation["type"], True)
        self.clause("claims", operation["claims"], self.law)
        self.clause("denies", operation["denials"], self.denial)
        self.clause("rows", operation["rows"], self.row)
        self.put("{", True)
        self.end_unit()
        run(self.block([*operation["body"], {"is": "result", "value": operation["result"]}], self.statement))
        return "".join(self.out)

    def clause(self, word, entries, write):
        for i, entry in enumerate(entries):
            if i:
                self.comma()
            else:
                self.cost = FORCED
                self.put(word, True)
            write(entry)

    def law(self, law):
        self.put(law["name"], True)
        for i, argument in enumerate(law["arguments"]):
            if i:
                self.comma()
            else:
                self.open("(")
            self.put(number(argument["bits"]) if "bits" in argument else
                     versioned(argument["operation"], argument["version"]), i > 0)
        if law["arguments"]:
            self.close(")")

    def denial(self, denial):
        self.law(denial)
        self.put("by", True)
        self.values(denial["witness"])

    def row(self, row):
        self.values(row["operands"])
        self.put("=>", True)
        self.value(row["result"], True)

    def values(self, values):
        self.open("(", True)
        for i, value in enumerate(values):
            if i:
                self.comma()
            self.value(value, i > 0)
        self.close(")")

    def value(self, node, blank):
        if node["type"] not in ("vec2u32", "vec4u32"):
            return self.put(literal(node), blank)
        self.put(node["type"], blank)
        self.open("(")
        for i in range(int(node["type"][3])):
            if i:
                self.comma()
            self.put(number(node["bits"] >> 32 * i & 0xFFFFFFFF), i > 0)
        self.close(")")

    def arguments(self, arguments):
        self.open("(")
        for i, argument in enumerate(arguments):
            if i:
                self.comma()
            self.put(argument["name"], i > 0)
            if "words" in argument:
                self.equal()
                yield self.bracketed(argument["words"], "[]", True)
            elif argument["buffer"] != argument["name"]:
                self.equal()
                self.put(argument["buffer"], True)
        self.close(")")

    def block(self, statements, write):
        """What stands between the braces, and the closing one."""
        self.depth += 1
        for node in statements:
            self.new_line()
            yield write(node)
        self.depth -= 1
        if statements:
            self.new_line()
        self.out.append("}")

    def opened(self, body, column=None):
        self.put("{", bool(self.unit))
        self.end_unit(column)
        yield self.block(body, self.statement)

    def statement(self, node):
        """A statement of a program or an operation, or a command of a pipeline."""
        kind, column = node["is"], None
        while kind == "if":
            self.put("if", column is not None)
            self.open("(", True)
            yield self.expression(node["condition"], False)
            self.close(")")
            yield self.opened(node["then"], column)
            if "else" not in node:
                return
            self.out.append(" ")
            self.put("else")
            column, body = self.indent() + 2, node["else"]
            if len(body) != 1 or body[0]["is"] != "if":
                return (yield self.opened(body, column))
            node = body[0]
        if kind == "block":
            return (yield self.opened(node["body"]))
        if kind == "for":
            if node.get("unroll"):
                self.put("unroll")
            self.put("for", node.get("unroll", False))
            self.put(node["name"], True)
            self.put("in", True)
            yield self.expression(node["from"], True)
            self.put("..")
            yield self.expression(node["to"], False)
            return (yield self.opened(node["body"]))
        if kind == "repeat":
            self.put("repeat")
            yield self.expression(node["operands"][0], True)
            self.put("while", True)
            self.open("(", True)
            self.put(node["name"])
            yield self.bracketed(node["operands"][1:])
            self.close(")")
            return (yield self.opened(node["body"]))
        if kind == "step":
            names = node["step"]["names"]
            if node["let"]:
                self.put("let")
            if len(names) > 1:
                self.open("(", True)
            for i, name in enumerate(names):
                if i:
                    self.comma()
                self.put(name, i > 0 or node["let"] and len(names) == 1)
            if len(names) > 1:
                self.close(")")
            self.equal()
            yield self.step(node["step"], True)
        elif kind in ("return", "barrier"):
            self.put(kind)
        elif kind == "result":
            self.put("return")
            yield self.expression(node["value"], True)
        elif kind == "scratch":
            for text in ["scratch", node["name"], ":", node["type"]]:
                self.put(text, text != ":")
            yield self.bracketed(node["operands"])
        elif kind in ("dispatch", "run"):
            self.put(kind)
            self.put(versioned(node["name"], node.get("version", 0) or 1), True)
            yield self.arguments(node["arguments"])
            if kind == "dispatch":
                self.put("groups", True)
                yield self.bracketed(node["operands"], "()")
        else:
            if kind == "let":
                self.put("let")
            self.put(node["buffer"] if kind == "store" else node["name"], kind == "let")
            if kind == "store":
                yield self.bracketed(node["index"])
            self.equal()
            yield self.expression(node["value"], True)
        self.put(";")
        self.end_unit()

    def bracketed(self, operands, brackets="[]", blank=False):
        self.open(brackets[0], blank)
        for i, operand in enumerate(operands):
            if i:
                self.comma()
            yield self.expression(operand, i > 0)
        self.close(brackets[1])

    def operand(self, node, blank, parentheses):
        if parentheses:
            self.open("(", blank)
        yield self.expression(node, blank and not parentheses)
        if parentheses:
            self.close(")")

    def expression(self, node, blank):
        """`blank`: whether one stands before it."""
        kind = node["is"]
        if kind == "literal":
            self.put(literal(node), blank)
        elif kind == "variable" and node["name"] in self.nested:
            yield self.step(self.nested[node["name"]], blank)
        elif kind == "variable":
            self.put(node["name"], blank)
        elif kind == "load":
            self.put(node["buffer"], blank)
            yield self.bracketed(node["index"])
        elif kind == "len":
            for text in ["len", "(", node["buffer"], ")"]:
                self.put(text, blank and text == "len")
        elif kind != "operator":
            self.put(f"{kind}.{'xyz'[node['axis']] if node['axis'] < 3 else 'axis' + str(node['axis'])}", blank)
        elif node.get("sign") in INFIX:
            left, right = node["operands"]
            sign, precedence = INFIX[node.get("sign")]
            yield self.operand(left, blank, needs_parentheses(node.get("sign"), left, False))
            self.put(sign, True)
            self.cost = self.nesting * LEVEL + precedence
            yield self.operand(right, True, needs_parentheses(node.get("sign"), right, True))
        elif node.get("sign") in PREFIX:
            value = node["operands"][0]
            negated = (node.get("sign") == "negate" and value["is"] == "literal" and
                       value["type"] in ("i32", *vyre_float.FORMATS))
            self.put(PREFIX[node.get("sign")], blank)
            yield self.operand(value, False, negated or value.get("sign") in INFIX)
        elif node["operator"] == "component":
            value = node["operands"][0]
            yield self.operand(value, blank, value["is"] == "literal" and value["type"] != "bool" or
                               value.get("sign") in {**INFIX, **PREFIX})
            self.put(".")
            self.put("xyzw"[node["component"]] if node["component"] < 4 else "no_component")
        else:
            yield self.application(node, blank)

    def application(self, node, blank):
        op, operands = node["operator"], node["operands"]
        if op == "call":
            self.put(versioned(node["operation"], node["version"]), blank)
        elif op in ("cast", "bitcast"):
            rounding = node.get("rounding")
            self.put(f"{op}<{node['type']}{', ' + rounding if rounding else ''}>", blank)
        else:
            self.put(op, blank)
        if "buffer" not in node:
            return (yield self.bracketed(operands, "()"))
        self.open("(")
        if "fold" in node:
            self.put(node["fold"])
            self.comma()
            self.put(node["buffer"], True)
            if "tolerance" in node:
                self.comma()
                self.put(str(node["tolerance"]), True)
        else:
            self.put(node["buffer"])
            yield self.bracketed(operands[:1])
            operands = operands[1:]
        for operand in operands:
            self.comma()
            yield self.expression(operand, True)
        self.close(")")


def text(decoded):
    """The canonical text of what vyre_wire.decode gave: a module, or a program alone."""
    module = decoded if "programs" in decoded else {"programs": [decoded]}
    written, graphs = [], {graph["name"]: graph for graph in reversed(module.get("graphs", []))}
    for kind in ("operation", "program", "pipeline", "graph"):
        for item in module.get(kind + "s", []):
            name_signs(item, graphs)
            written.append(getattr(Text(), kind)(item))
    return "\n\n".join(written) + "\n" * bool(written)
