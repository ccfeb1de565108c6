# tan r / r = (1 + z p(z)) / (1 + z q(z)), z = r^2 in [0, (pi/4)^2]: p of degree 2, q of degree 3 (angles.h, tan).
#
# Interpolation at Chebyshev's nodes, the equation being linear in the coefficients when it is multiplied out, gives a
# nearly best one. Then one coefficient after the other, the most important first, is rounded to a double and the
# others are found again, by least squares of what is about the relative error.
from mpmath import mp, mpf, tan, pi, sqrt, cos, matrix, lu_solve, log, nstr
mp.prec = 400
top = (pi / 4)**2 * mpf("1.0001")
f = lambda z: tan(sqrt(z)) / sqrt(z)
order = [("p", 0), ("q", 0), ("p", 1), ("q", 1), ("p", 2), ("q", 2), ("q", 3)]

def solve(known):
  free = [k for k in (("p", 0), ("p", 1), ("p", 2), ("q", 0), ("q", 1), ("q", 2), ("q", 3)) if k not in known]
  rows = 40 if known else len(free)
  a, b = matrix(rows, len(free)), matrix(rows, 1)
  for i in range(rows):
    z = top * (1 + cos(pi * (2 * i + 1) / (2 * rows))) / 2
    weight = z / (f(z) * (1 - z * mpf("0.46")))
    term = lambda k: z**k[1] if k[0] == "p" else -f(z) * z**k[1]
    for n, k in enumerate(free): a[i, n] = weight * term(k)
    b[i] = weight * ((f(z) - 1) / z - sum(c * term(k) for k, c in known.items()))
  s = lu_solve(a, b)
  return {**known, **{k: s[n] for n, k in enumerate(free)}}

def error(r):
  part = lambda name, z: 1 + z * sum(c * z**k[1] for k, c in r.items() if k[0] == name)
  return max(abs(part("p", z) / part("q", z) / f(z) - 1) for z in [top * i / 997 for i in range(1, 998)])

all_of = solve({})
print("relative error 2^" + nstr(log(error(all_of), 2), 6))
known = {}
for k in order:
  known[k] = mpf(float(all_of[k]))
  if len(known) < len(order): all_of = solve(known)
print("rounded 2^" + nstr(log(error(known), 2), 6))
for k in sorted(known): print("%s%d" % k, float(known[k]).hex())
