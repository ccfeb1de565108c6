#!/usr/bin/env python3
"""tan(pi/4 u) / u = p(w) / q(w), w = u^2 in [0, 1]: a rational approximation whose last coefficients are short words.

Interpolation at Chebyshev's nodes gives a nearly best one. The last coefficients of p and q are then rounded to
words of 32 bits and the others found again, by interpolation at fewer nodes; then q is rounded too. The words of p
are left to tan.sollya.
"""
from mpmath import cos, log, lu_solve, matrix, mp, mpf, nint, nstr, pi, sqrt, tan

mp.prec = 400


def f(w):
    return tan(pi / 4 * sqrt(w)) / sqrt(w)


def solve(known_p, known_q):
    free_p = [j for j in range(4) if j not in known_p]
    free_q = [j for j in range(1, 5) if j not in known_q]
    n = len(free_p) + len(free_q)
    a, b = matrix(n, n), matrix(n, 1)
    for i in range(n):
        w = (1 + cos(pi * (2 * i + 1) / (2 * n))) / 2
        for k, j in enumerate(free_p):
            a[i, k] = w**j
        for k, j in enumerate(free_q):
            a[i, len(free_p) + k] = -f(w) * w**j
        b[i] = f(w) * (1 + sum(v * w**j for j, v in known_q.items())) - sum(v * w**j for j, v in known_p.items())
    s = lu_solve(a, b)
    p, q = dict(known_p), {0: mpf(1), **known_q}
    p.update((j, s[k]) for k, j in enumerate(free_p))
    q.update((j, s[len(free_p) + k]) for k, j in enumerate(free_q))
    return p, q


def rounded(value, places):
    return nint(value * mpf(2) ** places) / mpf(2) ** places


def value(polynomial, w):
    return sum(v * w**j for j, v in polynomial.items())


p, q = solve({}, {})
p3, q4 = rounded(p[3], 50), rounded(q[4], 55)
p, q = solve({3: p3}, {4: q4})
error = max(abs(value(p, w) / value(q, w) / f(w) - 1) for w in (mpf(i) / 997 for i in range(1, 998)))
print("relative error 2^" + nstr(log(error, 2), 6))
print("p3 =", int(p3 * mpf(2) ** 50))
for j, places in ((1, 65), (2, 70), (3, 77), (4, 55)):
    print(f"q{j} =", int(nint(q[j] * mpf(2) ** places)))
