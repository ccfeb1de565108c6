#!/usr/bin/env python3
"""The known angles of soft_inverse.cpp, in units of 2^-64; pi/2 in units of 2^-63."""
from mpmath import asin, atan, mp, mpf, nint, pi, sqrt

mp.prec = 300


def q64(x):
    return int(nint(x * mpf(2) ** 64))


print("atan(k/8):", *(q64(atan(mpf(k) / 8)) for k in range(9)))
print("asin(k/8):", *(q64(asin(mpf(k) / 8)) for k in range(7)))
print("cos(asin(k/8)):", *(q64(sqrt(1 - mpf(k * k) / 64)) for k in range(1, 7)))
print("pi/2:", int(nint(pi / 2 * mpf(2) ** 63)))
