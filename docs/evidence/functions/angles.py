#!/usr/bin/env python3
"""The known angles of soft_inverse.cpp, in units of 2^-64, pi/2 in units of 2^-63; those of soft_atan2.cpp's second
step in units of 2^-128, pi/2 and pi in units of 2^-126, and the coefficients of its series."""
from mpmath import asin, atan, mp, mpf, nint, pi, sqrt

mp.prec = 300


def q64(x):
    return int(nint(x * mpf(2) ** 64))


print("atan(k/8):", *(q64(atan(mpf(k) / 8)) for k in range(9)))
print("asin(k/8):", *(q64(asin(mpf(k) / 8)) for k in range(7)))
print("cos(asin(k/8)):", *(q64(sqrt(1 - mpf(k * k) / 64)) for k in range(1, 7)))
print("pi/2:", int(nint(pi / 2 * mpf(2) ** 63)))


def words(x, places=128):
    return f"{int(nint(x * mpf(2) ** places)):032x}"


for k in range(1, 9):
    print(f"atan({k}/8):", words(atan(mpf(k) / 8)))
for j in range(1, 5):
    print(f"atan({j}/64):", words(atan(mpf(j) / 64)))
print("pi/2, pi:", words(pi / 2, 126), words(pi, 126))
for k in range(1, 9):
    print(f"1 / {2 * k + 1} / 64^{2 * k}:", words(1 / mpf(2 * k + 1) / mpf(64) ** (2 * k)))
