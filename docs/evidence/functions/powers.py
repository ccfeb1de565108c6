# Constants of powers, and what is known of them. Needs mpmath.
#   powers.py header | clang-format-19 > src/ops/float/soft_pow_tables.h
#   powers.py bounds > powers.py.out
import math
import sys

from mpmath import cos, factorial, floor, log, mp, mpf, nstr, pi

mp.prec = 1000
LN2 = log(mpf(2))


def log2(x):
    return log(x) / LN2


# The two functions, both of v in [0, 1), and a bound of |f's derivative of order k| / k! there.
def log_quotient(v):  # log2(1 + u) / (2 u) with u = (v - 1/2) / 16
    u = (v - mpf(1) / 2) / 16
    return 1 / (2 * LN2) if abs(u) < mpf(2) ** -500 else log2(1 + u) / (2 * u)


def log_quotient_term(k):
    # log(1 + u) / u is the integral of 1 / (1 + t u) over t in [0, 1], and 1 + t u is at least 31/32.
    return 1 / (2 * LN2) / (k + 1) / (mpf(31) / 32) ** (k + 1) / mpf(16) ** k


def exp_half(v):  # 2^(v / 8) / 2
    return mpf(2) ** (v / 8) / 2


def exp_half_term(k):
    return (LN2 / 8) ** k / factorial(k) * exp_half(mpf(1))


def interpolate(f, n):
    """The polynomial of degree n through the Chebyshev points of [0, 1], as coefficients of powers."""
    xs = [(1 + cos(pi * (2 * k + 1) / (2 * n + 2))) / 2 for k in range(n + 1)]
    ys = [f(x) for x in xs]
    for level in range(1, n + 1):  # Newton's differences
        for k in range(n, level - 1, -1):
            ys[k] = (ys[k] - ys[k - 1]) / (xs[k] - xs[k - level])
    out = [ys[n]]
    for k in range(n - 1, -1, -1):
        product = [mpf(0)] + out
        for i, a in enumerate(out):
            product[i] -= a * xs[k]
        product[0] += ys[k]
        out = product
    return out


def words_of(x, count):
    """floor(x 2^(32 count)), as words."""
    i = int(floor(x * mpf(2) ** (32 * count)))
    assert 0 <= i < 1 << (32 * count)
    return [(i >> (32 * (count - 1 - k))) & 0xFFFFFFFF for k in range(count)]


class Series:
    """A polynomial as the compositions hold it: `wide` coefficients of `width` words, then single words."""

    def __init__(self, name, f, term, degree, width, wide, bias):
        self.name, self.width, self.degree = name, width, degree
        exact = interpolate(f, degree)
        self.alternating = exact[1] < 0
        sign = -1 if self.alternating else 1
        assert all(a * sign**k > 0 for k, a in enumerate(exact))
        # The error of interpolation in Chebyshev points of an interval of length 1.
        self.error = 2 * mpf(4) ** -(degree + 1) * term(degree + 1)
        samples = [mpf(i) / 2000 for i in range(2001)]
        self.seen = max(abs(sum(a * x**k for k, a in enumerate(exact)) - f(x)) for x in samples)
        assert self.seen <= self.error
        a = [abs(x) for x in exact]
        a[0] -= bias
        assert bias == 0 or bias > self.error
        self.wide = [words_of(x, width) for x in a[:wide]]
        rest = a[wide:]
        self.shift = int(floor(-log2(sum(rest)))) if rest else 0
        self.narrow = [words_of(x * mpf(2) ** self.shift, 1)[0] for x in rest]

    def steps_error(self):
        """Coefficients are cut off, and products: opposite signs where signs alternate, the same where not."""
        each = 1 if self.alternating else 2
        unit = mpf(2) ** -(32 + self.shift)
        narrow = each * len(self.narrow) * unit
        return narrow + each * len(self.wide) * mpf(2) ** (-32 * self.width)


LOG2 = Series("log2, two words", log_quotient, log_quotient_term, 9, 2, 5, 0)
LOG4 = Series("log2, four words", log_quotient, log_quotient_term, 20, 4, 21, 0)
EXP2 = Series("exp2, two words", exp_half, exp_half_term, 7, 2, 5, mpf(2) ** -58)
EXP4 = Series("exp2, four words", exp_half, exp_half_term, 14, 4, 15, mpf(2) ** -122)
RATIOS = [int(floor(mpf(4096) * 16 / (16 + i) + mpf(1) / 2)) for i in range(16)]


def header():
    def array(name, comment, rows):
        print("// %s\ninline constexpr uint32_t %s[] = {" % (comment, name))
        for row in rows:
            print("    %s," % ", ".join("0x%08x" % w for w in row))
        print("};")

    def series(name, s, what):
        array(name + "Wide", what, s.wide)
        if s.narrow:
            array(name + "Narrow", "The rest, each counting 2^-%d." % (32 + s.shift), [s.narrow])
            print("inline constexpr uint32_t %sShift = %d;" % (name, s.shift))
        print()

    print("// Constants of powers. Made by docs/evidence/functions/powers.py; powers.md there says how good they are.")
    print("#pragma once\n\n#include <cstdint>\n\nnamespace vyre::ops::powers {\n")
    array("kRatios", "r = 16 / (16 + i), rounded to 12 bits after the point.", [RATIOS[:8], RATIOS[8:]])
    print()
    logs = [words_of(-log2(mpf(r) / 4096), 4) for r in RATIOS]
    for k in range(4):
        column = [row[k] for row in logs]
        array("kLog%d" % k, "Word %d of log2(1 / r), rounded down." % k, [column[j:j + 8] for j in (0, 8)])
    print()
    roots = [words_of(exp_half(mpf(j)), 4) for j in range(8)]
    for k in range(4):
        array("kRoot%d" % k, "Word %d of 2^(j / 8) / 2, rounded down." % k, [[row[k] for row in roots]])
    print()
    series("kLogTwo", LOG2, "log2(1 + u) / (2 u), u = (v - 1/2) / 16; signs alternate.")
    series("kLogFour", LOG4, "The same in four words.")
    series("kExpTwo", EXP2, "2^(v / 8) / 2, from below.")
    series("kExpFour", EXP4, "The same in four words.")
    array("kTail", "ln(2)^k / k!, k = 1, 2, 3, rounded down, three words each.",
          [words_of(LN2**k / factorial(k), 3) for k in (1, 2, 3)])
    print("\n}  // namespace vyre::ops::powers")


def bits(x):
    return "2^%.2f" % float(log2(x))


def bounds():
    for s in (LOG2, LOG4, EXP2, EXP4):
        print("%s: degree %d, interpolation below %s (seen %s), steps below %s" %
              (s.name, s.degree, bits(s.error), bits(s.seen), bits(s.steps_error())))
    # u: s is within half a sixteenth of 1 + i / 16; of i = 0 from 1 - 1/64.
    low = max([mpf(1) / 64] + [1 - (16 + i - mpf(1) / 2) / 16 * RATIOS[i] / 4096 for i in range(1, 16)])
    high = max((16 + i + mpf(1) / 2) / 16 * RATIOS[i] / 4096 - 1 for i in range(16))
    print("u: from -%s to %s" % (nstr(low, 6), nstr(high, 6)))
    assert low < mpf(1) / 32 and high <= mpf(1) / 32  # at 1/32 itself i is 1
    least = min(log2(1 + mpf(1) / 32), -log2(1 - mpf(1) / 64))
    print("logarithms that are not small: at least %s" % nstr(least, 6))
    # The error of their quotient counts 2 |u| / |log2|: what is worst is next to 1, of e = 0 and -1.
    counts = mpf(0)
    for i in range(1, 16):
        ends = [(16 + i + d) / 16 for d in (-mpf(1) / 2, mpf(1) / 2)]
        u = max(abs(s * RATIOS[i] / 4096 - 1) for s in ends)
        counts = max([counts] + [2 * u / min(abs(log2(s) + e) for s in ends) for e in (0, -1)])
    print("error of the quotient, relatively to such a logarithm: times %s" % nstr(counts, 6))

    for name, n, f, g in (("first", 2, LOG2, EXP2), ("second", 4, LOG4, EXP4)):
        unit = mpf(2) ** (-32 * n)
        quotient = f.error + f.steps_error()  # of log2(1 + u) / (2 u)
        small = quotient / log_quotient(mpf(1)) + 4 * unit  # product, of 0.35 or more: one unit
        # List, product, shift, sign, negation: a unit each.
        other = counts * quotient + 5 * unit / least + unit
        relative = max(small, other) + 4 * unit  # times y: a unit of 1/4 or more
        print("%s step: quotient %s; relative error of a small logarithm %s, of others %s" %
              (name, bits(quotient), bits(small), bits(other)))
        # 151: beyond it results are zero. 10 bits of the shifted product are before the point: two units of it.
        exponent = 151 * relative + 2 * mpf(2) ** 10 * unit
        exponential = 2 * (g.error + g.steps_error() + mpf(2) ** -122 * (n == 4) + mpf(2) ** -58 * (n == 2))
        exponential += (4 * n + 4) * unit + (mpf(2) ** -70 if n == 2 else mpf(2) ** -140)
        print("  y log2|x|: %s; of its power %s; digits, below 1: %s" %
              (bits(exponent), bits(exponential), bits(LN2 * exponent + exponential)))

    # l = floor(log2 m) + fraction of m is log2(m) or less; by how much at most, relatively, of m = 3, 5, 7, ...?
    # The difference is at most 0.0861, so from m = 5 on it is less than at 3.
    ratio = max(float(log2(mpf(m))) / (m.bit_length() - 1 + m / 2 ** (m.bit_length() - 1) - 1)
                for m in range(3, 1 << 12, 2))
    print("log2(m) / l: at most %.5f" % ratio)
    assert ratio < 1.057 and 1 + 0.0862 / 2 < ratio
    for n, good, precision in ((2, 44, 24), (2, 44, 11), (2, 44, 8), (4, 111, 24), (4, 111, 11), (4, 111, 8)):
        w, log_q = precision + 1, 2
        while log_q > 0:
            part = 1057 * w * 2**log_q // 1000 + 1 + log_q
            if part + 3 <= good and part + 5 - w <= 32 * (n - 1):
                break
            log_q -= 1
        print("%d words, precision %d: q up to %d" % (n, precision, 2**log_q))

    # Halves of which |x| is a proper eighth power: w^n 2^(E n / 8), w = 3, 5, 7, for binary32.
    for w in (3, 5, 7):
        for n in range(1, 16, 2):
            if w**n < 1 << 25:
                if (w**n).bit_length() == 25:
                    print("normal half: %d^%d" % (w, n))
                if 150 % n == 0 and -149 <= -8 * (150 // n) and (w**n).bit_length() <= 24:
                    print("half between subnormal numbers: (%d^8 2^%d)^(%d/8)" % (w, -8 * (150 // n), n))


header() if sys.argv[1] == "header" else bounds()
