"""Signs: which operators are written as one (docs/text-format.md, "Canonical text").

The text has one sign for an operator on integers and its like on floats, and the types of the operands tell them apart. So
a sign stands only where reading it gives the operator that the program has; elsewhere its mnemonic does.
"""
import vyre_float


def run(generator):
    """Runs a generator whose yields are the generators it waits for: recursion without the interpreter's stack."""
    stack, value = [generator], None
    while stack:
        try:
            stack.append(stack[-1].send(value))
            value = None
        except StopIteration as done:
            stack.pop()
            value = done.value
    return value


INFIX = {"mul": ("*", 9), "div": ("/", 9), "mod": ("%", 9), "add": ("+", 8), "sub": ("-", 8), "shl": ("<<", 7),
         "shr": (">>", 7), "bit_and": ("&", 6), "bit_xor": ("^", 5), "bit_or": ("|", 4), "eq": ("==", 3),
         "ne": ("!=", 3), "lt": ("<", 3), "gt": (">", 3), "le": ("<=", 3), "ge": (">=", 3), "and": ("&&", 2),
         "or": ("||", 1)}
PREFIX = {"negate": "-", "bit_not": "~", "logical_not": "!"}
ON_FLOATS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "eq": "feq", "lt": "flt", "gt": "fgt",
             "le": "fle", "ge": "fge", "negate": "fneg"}


def name_signs(item, graphs):
    """Gives each operator that is written as a sign its "sign": the integers' operator of that sign. A type is what the
    item itself says: of a call it says none, but for one of a graph of the file. graphs: these, by their names."""
    scope, signs = {}, {floating: op for op, floating in ON_FLOATS.items()}
    for parameter in item.get("parameters", []):
        scope[parameter["name"]] = parameter["type"]
    for buffer in item.get("buffers", []):
        element = buffer["tensor"]["element"] if "tensor" in buffer else buffer["type"]
        scope[buffer["name"]] = "u32" if element == "bytes" else element

    def outputs_of(node):
        return [output["type"] for output in graphs.get(node.get("operation"), {}).get("outputs", [])]

    def known(types):
        return next((kind for kind in types if kind), None)

    def apply(node, types):
        op = node["operator"]
        plain = signs.get(op, op)
        if plain in INFIX or plain in PREFIX:
            of = types[0] if plain in ("shl", "shr") else known(types)
            wanted = ON_FLOATS.get(plain, plain) if of in vyre_float.FORMATS else plain
            if wanted == op:
                node["sign"] = plain
        if op in ("cast", "bitcast"):
            return node["type"] if node["type"] not in ("bytes", "tensor") else None
        if op.startswith("freduce_"):
            return scope.get(node["buffer"])
        if op == "call":
            results = outputs_of(node) if "steps" in item else []
            return results[0] if len(results) == 1 else None
        if op in ("vec2u32", "vec4u32"):
            return op
        if op in ("shl", "shr"):
            return types[0]
        if op == "select":
            return known(types[1:])
        gives_word = op.startswith(("atomic_", "fis_")) or op in (
            "eq", "ne", "lt", "gt", "le", "ge", "and", "or", "logical_not", "popcount", "clz", "ctz", "component", "feq",
            "flt", "fgt", "fle", "fge")
        return "u32" if gives_word else known(types)

    def expression(node):
        kind, types = node["is"], []
        for operand in node.get("operands", node.get("index", [])):
            types.append((yield expression(operand)))
        if kind == "literal":
            return node["type"]
        if kind in ("variable", "load"):
            return scope.get(node["name" if kind == "variable" else "buffer"])
        return apply(node, types) if kind == "operator" else "u32"

    def block(statements, result=None):
        hidden = []  # what declarations of this block take the place of

        def declare(name, kind):
            hidden.append((name, scope.get(name)))
            scope[name] = kind

        for node in statements:
            types = []
            own = [node[key] for key in ("condition", "from", "to", "value") if key in node]
            for operand in [*node.get("index", []), *own]:
                types.append((yield expression(operand)))
            if node["is"] == "let":
                declare(node["name"], types[0])
            before = scope.get(node.get("name"))
            if node["is"] == "for":
                scope[node["name"]] = "u32"
            for part in ("then", "else", "body"):
                yield block(node.get(part, []))
            if node["is"] == "for":
                scope[node["name"]] = before
        if result:  # of an operation, in the scope of its body
            yield expression(result)
        for name, kind in reversed(hidden):
            scope[name] = kind

    def commands(body):
        for node in body:
            lists = [argument.get("words", []) for argument in node.get("arguments", [])]
            own = [node[key] for key in ("condition", "from", "to", "value") if key in node]
            for operand in sum(lists, own + node.get("operands", [])):
                yield expression(operand)
            for part in ("then", "else", "body"):
                yield commands(node.get(part, []))

    def steps():
        for parameter in item["parameters"]:
            for size in parameter["sizes"]:
                if size["is"] == "variable":
                    scope[size["name"]] = "u32"
        for tensor in item["parameters"] + item["outputs"]:
            for size in tensor["sizes"]:
                yield expression(size)
        for node in item["steps"]:
            types = []
            for operand in node["operands"]:
                types.append((yield expression(operand)))
            for part in ("sizes", "pads", "ranges"):
                for size in node.get(part, []):
                    yield expression(size)
            if "k" in node:
                yield expression(node["k"])
            kind = types[0] if types else None
            if node["is"] in ("index", "argsort", "arg_top_k"):
                kind = "u32"
            elif node["is"] == "matmul":
                kind = node.get("type", "f32" if kind in vyre_float.FORMATS or str(kind).startswith("fp") else
                                "i32" if kind in ("i8", "u8") else kind)
            several = outputs_of(node["operands"][0]) if node["is"] == "value" else []
            for i, name in enumerate(node["names"]):
                scope[name] = several[i] if i < len(several) else kind

    if "steps" in item:
        return run(steps())
    run(commands(item["commands"]) if "commands" in item else block(item["body"], item.get("result")))
