# Numbers that lower/fast has beside polynomials: short parts of constants, short reciprocals, bounds of domains.
import struct
from mpmath import mp, mpf, log, e, pi, floor, nint, nstr
mp.prec = 600

def rounded(value, places): return nint(value * mpf(2)**places) / mpf(2)**places
def cut(value, places): return floor(value * mpf(2)**places) / mpf(2)**places
def hexes(*values): return " ".join(float(v).hex() for v in values)

print("exponentials: log2 of the base as 29 bits and the rest")
for name, base, places in (("exp", e, 28), ("exp10", mpf(10), 27)):
  high = rounded(log(base, 2), places)
  print(" ", name, hexes(high, log(base, 2) - high))

def least_pattern(bound):  # of the f32 that are at least that
  low, high = 0, 0x7f800000
  while low < high:
    middle = (low + high) // 2
    value = struct.unpack("<f", struct.pack("<I", middle))[0]
    low, high = (low, middle) if mpf(value) >= bound else (middle + 1, high)
  return "%08x" % low
print("exponentials: least x with an infinite result, -x with none (2^-150 is a tie, and goes to zero)")
for name, base in (("exp", e), ("exp2", mpf(2)), ("exp10", mpf(10))):
  print(" ", name, least_pattern(log(mpf(2)**128 - mpf(2)**103, base)), least_pattern(150 * log(mpf(2), base)))

print("logarithms: the least m that a reciprocal serves, of m in [2^(-3/8), 2^(5/8)): a high word")
for eighths in (-3, -1, 1, 3):
  print("  2^(%d/8)" % eighths, struct.pack(">d", 2.0**(eighths / 8)).hex()[:8])
print("logarithms: log of 2 as a multiple of 2^-45 and the rest; 1 / ln(base) as 29 bits and the rest")
bases = (("log", e, 0), ("log2", mpf(2), 28), ("log10", mpf(10), 30))
for name, base, places in bases:
  high = rounded(log(mpf(2), base), 45)
  scale = rounded(log(e, base), places)
  print(" ", name, hexes(high, log(mpf(2), base) - high, scale, log(e, base) - scale))
print("logarithms: r of 21 bits within 1/200 of 2^(1/4), 2^(-1/4), 2^(-1/2) whose log(1 / r) is nearest to a multiple of 2^-45")
for name, base, _ in bases:
  for quarters in (1, -1, -2):
    about = 2.0**(quarters / 4)
    unit = 2.0**-20 if about > 1 else 2.0**-21
    def off(n):
      scaled = -log(mpf(n * unit), base) * mpf(2)**45
      return abs(scaled - nint(scaled))
    n = min(range(int(about * 0.995 / unit), int(about * 1.005 / unit)), key=off)
    value = -log(mpf(n * unit), base)
    print(" ", name, (n * unit).hex(), hexes(rounded(value, 45)), "off by 2^" + nstr(log(off(n) / mpf(2)**45, 2), 3))

print("angles: pi as 33 bits, 33 bits and the rest, 1 / pi in Q28 and on; pi as 21 bits and the rest")
p1 = cut(pi, 31); p2 = cut(pi - p1, 64)
print(" ", hexes(p1, p2, pi - p1 - p2), hexes(1 / pi))
words = int(floor(mpf(2)**(28 + 7 * 32) / pi))
print(" ", " ".join("%08x" % (words >> 32 * (7 - k) & 0xffffffff) for k in range(8)))
print(" ", hexes(cut(pi, 19), pi - cut(pi, 19)))
print("arcs: pi/2 and what it lacks, as a share of it")
half = mpf(float(pi / 2))
print(" ", hexes(half, (pi / 2 - half) / half))
