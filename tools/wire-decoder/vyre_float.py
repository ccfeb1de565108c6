"""Floats as canonical text (docs/text-format.md): the shortest decimal that reads back as the same bits.

Everything is computed with integers and fractions, so nothing rounds but what is meant to.
"""
from fractions import Fraction

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23)}  # bits of exponent and mantissa


def value(kind, bits):
    """The number that these bits without a sign stand for; of infinity, where it would stand in the row of floats."""
    exponent_bits, mantissa_bits = FORMATS[kind]
    exponent, mantissa = bits >> mantissa_bits, bits & ((1 << mantissa_bits) - 1)
    if exponent:
        mantissa += 1 << mantissa_bits
    power = max(exponent, 1) - (1 << (exponent_bits - 1)) + 1 - mantissa_bits
    return Fraction(mantissa) * Fraction(2) ** power


def shortest(kind, bits):
    """(digits, exponent): the number of fewest digits, times a power of ten, that rounds to these bits and no others."""
    exact = value(kind, bits)
    low, high = (exact + value(kind, bits - 1)) / 2, (exact + value(kind, bits + 1)) / 2
    even = bits % 2 == 0  # what lies half way rounds to an even mantissa
    power = 0
    while Fraction(10) ** (power + 1) <= exact:
        power += 1
    while Fraction(10) ** power > exact:
        power -= 1
    while True:
        unit = Fraction(10) ** power
        near = [n for n in (exact // unit, exact // unit + 1)
                if low < n * unit < high or even and n * unit in (low, high)]
        if near:
            number = min(near, key=lambda n: (abs(n * unit - exact), n % 2))
            while number % 10 == 0:
                number, power = number // 10, power + 1
            return str(number), power
        power -= 1


def decimal(kind, bits):
    digits, power = shortest(kind, bits)
    point = len(digits) + power  # digits before the point
    scientific = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+03}"
    if power >= 0:
        fixed = str(int(value(kind, bits)))
    elif point > 0:
        fixed = digits[:point] + "." + digits[point:]
    else:
        fixed = "0." + "0" * -point + digits
    return fixed if len(fixed) <= len(scientific) else scientific


def literal(kind, bits):
    exponent_bits, mantissa_bits = FORMATS[kind]
    width = 1 + exponent_bits + mantissa_bits
    sign, magnitude = bits >> (width - 1), bits & ((1 << (width - 1)) - 1)
    if magnitude >> mantissa_bits == (1 << exponent_bits) - 1:
        return f"{kind}({bits:#0{2 + width // 4}x})"  # infinities and NaNs, by their bits
    written = decimal(kind, magnitude) if magnitude else "0"
    if "." not in written and "e" not in written:
        written += ".0"
    return "-" * sign + written + ("" if kind == "f32" else kind)
