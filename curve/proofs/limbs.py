#!/usr/bin/env python3
"""Proves that no limb overflows in the field arithmetic of `curve`, by exact interval arithmetic.

Constants and tables are read from the source, so that a change there is a change here. README.md says what is proven,
what is assumed, and how each step follows the code. Any claim that fails ends the program with an error.
"""

import re
import sys
from fractions import Fraction

import claims
import octets
from claims import I64, U32, U64, NotProven, claim, constant, modulus, source, split


def wasm(p):
    """`wasm/{limbs,columns,fp}.rs`: limbs of 28 bits in words of 32, columns in words of 64."""
    text = source("wasm/limbs.rs")
    limbs = constant(text, r"const LIMBS: usize = (\d+);")
    bits = constant(text, r"const BITS: usize = (\d+);")
    multiples = constant(text, r"static MULTIPLES: \[Limbs; (\d+)\]")
    squares = constant(source("wasm/columns.rs"), r"columns\[k\] = (\d+) \* \(carry & MASK\);")
    text = source("wasm/fp.rs")
    most = constant(text, r"const \{ assert!\(L \* M <= (\d+)\) \}")
    square_most = constant(text, r"const \{ assert!\(L <= (\d+)\) \}")
    below = set(re.findall(r"&& C < (\d+)\)", text)) | set(re.findall(r"&& \$c < (\d+)\)", text))
    claim(len(below) == 1, "sums and differences have one limit")
    largest = int(below.pop()) - 1
    mask = (1 << bits) - 1
    modulus_limbs = split(p, bits, limbs)
    columns = 2 * limbs - 1

    def limb(l):
        return l * mask

    def value(l):
        """`El<L>` is below this."""
        return l * 2 * p

    sums = [tuple(map(int, row)) for row in re.findall(r"(\d+) \+ (\d+) = (\d+),?\n", text)]
    differences = [tuple(map(int, row)) for row in re.findall(r"(\d+) - (\d+) = (\d+),?\n", text)]
    claim(len(sums) >= 8 and len(differences) >= 10, "the tables of sums and differences are read")

    # add: limb by limb, in u32.
    claim(limb(largest) < U32, "the limbs of the largest element are u32")
    for a, b, c in sums:
        claim(a + b == c <= largest, f"{a} + {b} = {c}")
        claim(limb(a) + limb(b) <= limb(c) and value(a) + value(b) <= value(c), "a sum is an El<C>")

    # sub: a + padding(B) − b, limb by limb, in u32.
    for l in range(1, largest):
        padding, carry = [], 0
        for at in range(limbs):
            word = modulus_limbs[at] * (2 * l + 1) + carry
            claim(word < U64, "padding is worked out in u64")
            lent = l << bits if at + 1 < limbs else 0
            borrowed = l if at > 0 else 0
            carry = word >> bits
            padded = (word & mask) + lent - borrowed
            claim(0 <= padded < U32, "a limb of the padding is a u32")
            padding.append(padded)
        claim(carry == 0, "nothing is carried out of the padding")
        number = sum(part << (bits * at) for at, part in enumerate(padding))
        claim(number == (2 * l + 1) * p, f"padding({l}) is (2·{l} + 1)·p")
        for at, part in enumerate(padding):
            # Whatever the other limbs are, a limb times its weight is at most the value.
            subtracted = min(limb(l), (value(l) - 1) >> (bits * at))
            claim(part >= subtracted, f"limb {at} does not borrow when an El<{l}> is subtracted")
            claim(part <= limb(l + 1), f"limb {at} of padding({l}) is that of an El<{l + 1}>")
        for a in range(1, largest - l):
            claim(value(a) + number <= value(a + l + 1), "a difference is an El<A + B + 1>")
            claim(limb(a) + limb(l + 1) <= limb(a + l + 1) < U32, "its limbs too")
        claim(number >= value(l), "and not negative")
    for a, b, c in differences:
        claim(a + b + 1 == c <= largest, f"{a} - {b} = {c}")

    def terms(k):
        return min(k, limbs - 1) - max(0, k - limbs + 1) + 1

    # product: columns of products that nothing is carried out of. Karatsuba's method gives the same columns modulo 2^64,
    # whatever wraps around on the way.
    claim(limbs % 2 == 0, "an element has two halves")
    def product(l_times_m):
        return [terms(k) * l_times_m * mask * mask for k in range(columns)]

    for column in product(most):
        claim(column < U64, "a column of a product is a u64")
    claim(square_most * square_most <= most, "a square is a product")
    claim(2 * limb(square_most) < U64, "the doubled limb of a square too")

    def montgomery(low, high, limit):
        """Intervals through `montgomery`, whose columns are between `low` and `high` and whose carries are shifted."""
        window = [(low[at], high[at]) for at in range(limbs)]
        seen = list(window)

        def plus(a, b):
            total = (a[0] + b[0], a[1] + b[1])
            seen.append(total)
            return total

        for step in range(0, limbs, 2):
            entering = [(low[step + limbs], high[step + limbs])]
            inside = step + limbs + 1 < columns
            entering.append((low[step + limbs + 1], high[step + limbs + 1]) if inside else (0, 0))
            # Both multiples are limbs.
            times = [(0, mask * part) for part in modulus_limbs]
            total = plus(window[0], times[0])
            carry = (total[0] >> bits, total[1] >> bits)
            following = plus(plus(window[1], carry), times[1])
            total = plus(following, times[0])
            carry = (total[0] >> bits, total[1] >> bits)
            for k in range(2, limbs):
                window[k - 2] = plus(plus(window[k], times[k]), times[k - 1])
            window[0] = plus(window[0], carry)
            window[limbs - 2] = plus(entering[0], times[limbs - 1])
            window[limbs - 1] = entering[1]
        carry = (0, 0)
        for part in window:
            total = plus(part, carry)
            carry = (total[0] >> bits, total[1] >> bits)
        for low_end, high_end in seen:
            claim(-limit[0] <= low_end and high_end < limit[1], "a column stays within its word")

    def leaves_less_than_2p(largest_value):
        radix = 1 << (bits * limbs)
        claim(largest_value + (radix - 1) * p < 2 * p * radix, "what is left is below 2p")
        claim(2 * p < radix, "and fits into its limbs")

    zeros = [0] * columns
    montgomery(zeros, product(most), (0, U64))
    leaves_less_than_2p(most * 4 * p * p)

    # difference: plus − minus + 64·p², for products of factors of at most El<4> together.
    together = constant(source("wasm/fp2.rs"), r"at most an `El2<(\d+)>` together")
    carry, square_columns = 0, []
    for k in range(columns):
        first = max(0, k - limbs + 1)
        for i in range(first, min(limbs - 1, k) + 1):
            carry += modulus_limbs[i] * modulus_limbs[k - i]
            claim(carry < U64, "SQUARES is worked out in u64")
        square_columns.append(squares * (carry & mask))
        carry >>= bits
    square_columns[-1] += (squares * carry) << bits
    claim(square_columns[-1] < U64, "its last column too")
    number = sum(column << (bits * k) for k, column in enumerate(square_columns))
    claim(number == squares * p * p, f"SQUARES is {squares}·p²")
    claim(together * 4 * p * p <= number, "a difference of products is not negative")
    both = product(together)
    low = [square - column for square, column in zip(square_columns, both)]
    high = [square + column for square, column in zip(square_columns, both)]
    montgomery(low, high, (I64, I64))
    leaves_less_than_2p(number + together * 4 * p * p)

    # rest: (a₀ + a₁)(b₀ + b₁) − a₀b₀ − a₁b₁ = a₀b₁ + a₁b₀ in every column, which is not negative.
    claim(4 * together <= most, "the product of both sums is a product that is allowed")
    montgomery(zeros, product(2 * together), (0, U64))
    leaves_less_than_2p(2 * together * 4 * p * p)

    # combination: what the wide products of `Fp6::mul` add up to, product by product of two limbs' numbers.
    most_products = max(max(plus, minus) for plus, minus in wide_sums())
    low = [square - most_products * column for square, column in zip(square_columns, product(1))]
    high = [square + most_products * column for square, column in zip(square_columns, product(1))]
    montgomery(low, high, (I64, I64))
    claim(most_products * 4 * p * p <= number, "a combination is not negative")
    leaves_less_than_2p(number + most_products * 4 * p * p)

    # reduce: the quotient by p, from the two highest limbs, is at most one too small.
    top_weight = 1 << (bits * (limbs - 1))
    above_top = modulus_limbs[-1] + 1
    for l in range(1, largest + 1):
        top = (value(l) - 1) // top_weight
        claim(limb(l) + (limb(l) >> bits) < U32, "the two highest limbs are added in u32")
        claim(top // above_top < multiples, "the quotient is in the table")
        # Below the highest limb stands less than one of it, and what the other limbs exceed 28 bits by.
        rest = top_weight + sum(limb(l) << (bits * at) for at in range(limbs - 2))
        for quotient in range(top // above_top + 1):
            least_top = quotient * above_top
            claim(quotient * p <= least_top * top_weight, "it does not take off too much")
            most_top = (quotient + 1) * above_top - 1
            claim(most_top * top_weight + rest <= (quotient + 2) * p, "what is left is below 2p")
    claim(2 * limb(largest) < I64, "a signed limb with its carry fits")


def wide_sums():
    """Of each `combination` in `wasm/tower.rs`: how many products of two numbers are added, and how many taken off."""

    def wide(of):
        # The two parts of a product in Fp2, whose factors are the sums of these parts of Fp6.
        pairs = [(i, j) for i in of for j in of]
        low = {((i, 0), (j, 0)): 1 for i, j in pairs}
        low.update({((i, 1), (j, 1)): -1 for i, j in pairs})
        high = {((i, x), (j, 1 - x)): 1 for i, j in pairs for x in (0, 1)}
        return {"c0": low, "c1": high}

    products = {f"v{i}": wide([i]) for i in range(3)}
    products.update({f"w{i}{j}": wide([i, j]) for i, j in ((1, 2), (0, 1), (0, 2))})
    text = re.sub(r"\s+", " ", source("wasm/tower.rs"))
    calls = re.findall(r"combination\( ?\[([^\]]*)\], \[([^\]]*)\],? ?\)", text)
    claim(len(calls) == 6, "the combinations are read")
    for parts in calls:
        total = {}
        for sign, names in zip((1, -1), parts):
            for name, part in re.findall(r"&(\w+)\.(c[01])", names):
                for term, count in products[name][part].items():
                    total[term] = total.get(term, 0) + sign * count
        yield (
            sum(count for count in total.values() if count > 0),
            -sum(count for count in total.values() if count < 0),
        )


def vectors(p):
    """`fast/vector`: limbs of 48 bits in lanes of 64."""
    text = source("fast/vector/elements.rs")
    limbs = constant(text, r"const LIMBS: usize = (\d+);")
    bits = constant(text, r"const BITS: u32 = (\d+);")
    short_bound = Fraction(re.search(r"\*short\*: below `([\d.]+)p`", text).group(1))
    loose_bound = Fraction(re.search(r"\*loose\*: below `([\d.]+)p`", text).group(1))
    mask, radix = (1 << bits) - 1, 1 << (bits * limbs)
    modulus_limbs = split(p, bits, limbs)
    short, loose = short_bound * p, loose_bound * p

    # What the states promise each other.
    claim(short <= loose < radix, "a loose element fits into its limbs")
    claim(short * loose / radix + p < short, "a product is short")
    claim(short + 2 * p <= loose and 2 * p >= short, "a difference of short elements is loose")
    claim(short + p <= loose, "the sum of a product and four is loose")
    claim(2 * p <= loose, "the sum of canonical elements is loose")
    canonical_product = p * p / Fraction(radix) + p
    claim(3 * canonical_product <= loose, "three times the square of a canonical element is loose")
    claim(2 * mask + 2 * mask < I64, "sums and differences of limbs are signed words")

    # reduced: twice p, p, and the last comparison.
    weight = 1 << (bits * (limbs - 1))
    twice_limbs = split(2 * p, bits, limbs)
    at_least = (twice_limbs[-1] + 2) * weight
    claim(at_least >= 2 * p, "2p is taken off only where there is as much")
    below = max(loose - 2 * p, Fraction(at_least))
    # Limbs are between −2^48 and 2^48 now: carries change the highest by one at most.
    least = (modulus_limbs[-1] + 2 - 1) * weight
    claim(least >= p, "p is taken off only where there is as much")
    below = max(below - p, Fraction((modulus_limbs[-1] + 1 + 1) * weight))
    claim(below < 2 * p, "one comparison is left")

    # integer.rs: the multiplier of 52-bit integers.
    text = source("fast/vector/integer.rs")
    claim("const SHIFT: u32 = 52 - BITS;" in text, "one factor is shifted up to 52 bits")
    shift = 52 - bits
    claim(mask << shift < 1 << 52, "a shifted limb has 52 bits")
    lower, upper = ((1 << 52) - 1) & ~((1 << shift) - 1), (mask << shift) * mask >> 52
    claim(upper <= mask, "an upper half is a limb")
    low, high = [0] * limbs, [0] * limbs + [0]
    for _ in range(limbs):
        high = high[:limbs] + [0]
        for _ in ("the row of the short factor", "the row of the modulus"):
            for at in range(limbs):
                low[at] += lower
                high[at + 1] += upper
        column = (low[0] >> shift) + high[0]
        high[1] += column >> bits
        for word in low + high + [column]:
            claim(word < U64, "a column is a word")
        low, high = low[1:] + [0], high[1:] + [0]
    carry = 0
    for at in range(limbs):
        word = high[at] + (low[at] >> shift) + carry
        claim(word < I64, "a column with its carry is a signed word")
        carry = word >> bits

    # double.rs: the multiplier of floating-point numbers.
    text = source("fast/vector/double.rs")
    lower_begins = constant(text, r"const LOWER: f64 = ([\d_]+)\.0;")
    upper_begins = constant(text, r"const UPPER: f64 = ([\d_]+)\.0;")
    claim(lower_begins == 3 << 51, "lower halves begin at 1.5·2^52")
    claim(upper_begins == 1 << 100, "upper halves begin at 2^100")
    # Between 2^100 and 2^101 a double is a multiple of 2^48, and rounding errs by half of that.
    unit, products = 1 << (100 - 52), 2 * limbs
    claim(unit == 1 << bits, "the unit of the upper sums is a limb")
    rest = unit // 2
    claim(rest < 1 << 53, "a lower half is exact")
    claim(upper_begins + products * (mask * mask + rest) < 2 * upper_begins, "upper sums keep their unit")
    claim(2 * upper_begins - upper_begins <= unit << 53, "what an upper sum has grown by is exact")
    claim(lower_begins + products * rest <= 1 << 53, "lower sums do not leave their binade above")
    claim(lower_begins - products * rest >= 1 << 52, "nor below")
    column = products * rest + products * (mask * mask + rest) // unit
    over = (column + (column >> (bits - 1))) >> bits
    claim(column + over + (1 << 62) < U64 and column + over < I64, "a column is a signed word")
    claim(rest + lower_begins <= 1 << 53, "the low limb of the quotient is read exactly")
    claim(mask < 1 << 53, "a limb is a double")


# Each makes some claim false: a proof that holds after one of these proves nothing.
CHANGES = [
    ("parameters.rs", "0xaa, 0xab,", "0xaa, 0xad,"),
    ("wasm/limbs.rs", "const BITS: usize = 28;", "const BITS: usize = 29;"),
    ("wasm/limbs.rs", "const LIMBS: usize = 14;", "const LIMBS: usize = 13;"),
    ("wasm/fp.rs", "assert!(L * M <= 16)", "assert!(L * M <= 18)"),
    ("wasm/fp.rs", "assert!(L <= 4)", "assert!(L <= 5)"),
    ("wasm/fp.rs", "&& C < 16)", "&& C < 17)"),
    ("wasm/limbs.rs", "[Limbs; 32] =", "[Limbs; 29] ="),
    ("wasm/columns.rs", "columns[k] = 64 *", "columns[k] = 8 *"),
    ("wasm/fp.rs", "1 - 8 = 10,", "1 - 8 = 9,"),
    ("wasm/fp.rs", "4 + 4 = 8,", "4 + 4 = 7,"),
    ("wasm/fp2.rs", "an `El2<4>` together", "an `El2<5>` together"),
    ("fast/vector/elements.rs", "below `1.6p`, limbs", "below `1.5p`, limbs"),
    ("fast/vector/elements.rs", "below `3.6p`, limbs", "below `3.5p`, limbs"),
    ("fast/vector/elements.rs", "const BITS: u32 = 48;", "const BITS: u32 = 49;"),
    ("fast/vector/elements.rs", "const LIMBS: usize = 8;", "const LIMBS: usize = 7;"),
    ("fast/vector/integer.rs", "52 - BITS;", "53 - BITS;"),
    ("fast/vector/double.rs", "6_755_399_441_055_744.0", "4_503_599_627_370_496.0"),
    ("fast/vector/double.rs", "1_267_650_600", "633_825_300"),
] + octets.CHANGES


def prove():
    p = modulus()
    wasm(p)
    vectors(p)
    octets.prove(p)


def main():
    prove()
    proven = claims.proven
    for change in CHANGES:
        claims.changed = change
        try:
            prove()
        except NotProven:
            continue
        sys.exit(f"still proven with `{change[2]}` in {change[0]}")
    print(f"{proven} claims hold; each of {len(CHANGES)} changes of a constant breaks one")


if __name__ == "__main__":
    try:
        main()
    except NotProven as what:
        sys.exit(f"NOT PROVEN: {what}")
