#!/usr/bin/env python3
"""How near a number of 24 bits comes to a multiple of pi/2, and the words of 2/pi that soft_trig.cpp has.

For an exponent e, |m 2^e 2/pi - n| with m < 2^24 is least at a convergent of the continued fraction of 2^e 2/pi
(Khinchin, Continued Fractions, theorem 17: convergents are the best approximations of the second kind).
"""
from mpmath import floor, log, mp, mpf, nstr, pi

mp.prec = 600


def least(alpha, limit):
    rest = alpha - floor(alpha)
    before, now = 1, 0  # denominators of convergents
    best = (mpf(1), 1)
    while rest != 0:
        digit = int(floor(rest))
        before, now = now, digit * now + before
        if now >= limit:
            break
        if now > 0:
            best = min(best, (abs(now * alpha - floor(now * alpha + mpf(1) / 2)), now))
        rest = 1 / (rest - digit)
    return best


found = min((*least(mpf(2) ** e * 2 / pi, 2**24), e) for e in range(-24, 105))
print(f"least |m 2^e 2/pi - n| = 2^{nstr(log(found[0], 2), 6)}, twice that: 2^{nstr(log(2 * found[0], 2), 6)}; "
      f"m = {found[1]}, e = {found[2]}")
words = int(floor(2 / pi * mpf(2) ** 261))
print("2/pi:", " ".join(f"{words >> 32 * (8 - k) & 0xffffffff:08x}" for k in range(9)))
