"""The field of the kernel for votes (`fast/vector/octet`): limbs of 52 bits, and how `lockstep`, `commitments` and
`decompression` use them.

An `Octet` here is what is known of a value: the least and the greatest number that it can be, and the least and the
greatest word that each limb can be. Each function below follows the one of that name in `octet/arithmetic.rs` or
`octet/conversions.rs`, and `callers` follows those that call them.
"""

import re
from fractions import Fraction

from claims import I64, U64, claim, constant, source, split


class Octet:
    """Intervals of a value and of its limbs, both ends included."""

    def __init__(self, value, limbs):
        self.value, self.limbs = value, limbs


class Field:
    def __init__(self, p):
        text = source("fast/vector/octet/constants.rs")
        self.p = p
        self.count = constant(text, r"const LIMBS: usize = (\d+);")
        self.bits = constant(text, r"const BITS: u32 = (\d+);")
        self.mask = (1 << self.bits) - 1
        self.radix = 1 << (self.bits * self.count)
        self.top = 1 << (self.bits * (self.count - 1))
        claim(self.bits == 52, "limbs are as wide as IFMA's factors")
        claim(p < self.radix, "p fits into its limbs")
        self.p2 = constant(text, r"const P2: Limbs = times_p\((\d+)\)") * p
        self.p7 = constant(text, r"const P7: Limbs = times_p\((\d+)\)") * p
        shift, more = map(int, re.search(r"WIDE_P: Limbs = times_p\(\(1 << (\d+)\) \+ (\d+)\)", text).groups())
        self.wide_p = ((1 << shift) + more) * p
        for number in (self.p2, self.p7, self.wide_p):
            split(number, self.bits, self.count)
        claim(int(p) & 1 == 1, "2^416 − p needs no carry")
        claim("let high = high + 1;" in text, "the quotient divides by a little more than p")
        high = (p >> 256) + 1
        claim(high < 1 << 125, "a doubled remainder has 128 bits")
        self.quotient = (1 << (self.count * self.bits - 256)) // high
        claim(self.quotient <= self.mask, "the quotient is a factor")
        text = source("fast/vector/octet/mod.rs")
        self.short = Fraction(re.search(r"\*short\*: below `([\d.]+)p`", text).group(1)) * p
        self.loose = 1 << constant(text, r"\*loose\*: below `2\^(\d+)`")
        self.widest = 1 << constant(text, r"below `2\^(\d+)`\.\n")
        text = source("fast/vector/octet/arithmetic.rs")
        self.borrowed = constant(text, r"const BORROWED: u64 = (\d+);")

    def kept(self, least, greatest):
        """A value whose limbs are limbs."""
        claim(0 <= least and greatest < self.radix, "a value that is kept is a number of eight limbs")
        low = [(0, self.mask)] * (self.count - 1)
        return Octet((least, greatest), low + [(least // self.top, greatest // self.top)])

    def below(self, bound):
        return self.kept(0, -(-bound // 1) - 1)

    def is_short(self, octet):
        claim(0 <= octet.value[0] and octet.value[1] < self.short, "it is short")
        return octet

    def is_factor(self, octet):
        for least, greatest in octet.limbs:
            claim(0 <= least and greatest <= self.mask, "the limbs of a factor have 52 bits and no sign")

    def summed(self, *terms):
        """A sum, limb by limb; a term that begins with − is taken off."""
        value, limbs = (0, 0), [(0, 0)] * self.count
        for sign, octet in terms:
            ends = lambda ends: ends if sign > 0 else (-ends[1], -ends[0])
            plus = lambda a, b: (a[0] + b[0], a[1] + b[1])
            value = plus(value, ends(octet.value))
            limbs = [plus(limb, ends(other)) for limb, other in zip(limbs, octet.limbs)]
            for least, greatest in limbs:
                claim(-I64 <= least and greatest < I64, "a limb is a signed word")
        return Octet(value, limbs)

    def multiple(self, number):
        return Octet((number, number), [(limb, limb) for limb in split(number, self.bits, self.count)])

    def carried(self, octet):
        over = (0, 0)
        for least, greatest in octet.limbs:
            total = (least + over[0], greatest + over[1])
            claim(-I64 <= total[0] and total[1] < I64, "a limb with what is carried into it is a signed word")
            over = (total[0] >> self.bits, total[1] >> self.bits)
        # The highest limb keeps its sign, and is what the value is above its weight.
        return self.kept(*octet.value)

    def mul(self, a, b):
        self.is_factor(a)
        self.is_factor(b)
        columns = [0] * (2 * self.count)
        for i in range(self.count):
            for j in range(self.count):
                columns[i + j] += self.mask
                columns[i + j + 1] += self.mask
        self.reduced_product(columns)
        value = Fraction(a.value[1] * b.value[1], self.radix) + self.p
        return self.is_short(self.kept(0, value // 1))

    def reduced_product(self, columns):
        """`take_limbs` and `carried`, of columns that are at most these."""
        for at in range(self.count):
            over = (columns[at] + self.mask) >> self.bits
            claim(columns[at] + self.mask < U64, "a column is a word")
            columns[at + 1] += over + 2 * self.mask
            for limb in range(2, self.count):
                columns[at + limb] += 2 * self.mask
            columns[at + self.count] += self.mask
            for column in columns:
                claim(column < I64, "a column is a signed word")
        over = 0
        for column in columns[self.count:]:
            claim(column + over < I64, "a column with its carry is a signed word")
            over = (column + over) >> self.bits

    def square(self, a):
        self.is_factor(a)
        columns = [0] * (2 * self.count)
        for i in range(self.count):
            for j in range(i + 1, self.count):
                columns[i + j] += self.mask
                columns[i + j + 1] += self.mask
        for column in columns:
            claim(2 * column < I64, "a doubled column is a signed word")
        return self.mul(a, a)

    def plus(self, a, b):
        return self.carried(self.summed((1, a), (1, b)))

    def tripled(self, a):
        return self.carried(self.summed((1, a), (1, a), (1, a)))

    def minus(self, a, b):
        return self.carried(self.summed((1, a), (1, self.multiple(self.p2)), (-1, b)))

    def signed_minus(self, a, b):
        """Of either sign."""
        return self.either(self.minus(a, b), self.minus(self.summed((1, self.multiple(self.wide_p)), (-1, a)), b))

    def negated_where(self, a):
        return self.either(self.carried(a), self.carried(self.summed((1, self.multiple(self.p2)), (-1, a))))

    def difference(self, a, b):
        return self.reduced(self.summed((1, a), (1, self.multiple(self.p2)), (-1, b)))

    def plus_limbs(self, a, b):
        return self.summed((1, a), (1, b))

    def minus_sum(self, a, taken):
        return self.reduced(self.summed((1, a), (1, self.multiple(self.p7)), (-1, taken)))

    def either(self, a, b):
        both = lambda a, b: (min(a[0], b[0]), max(a[1], b[1]))
        return Octet(both(a.value, b.value), [both(*limbs) for limbs in zip(a.limbs, b.limbs)])

    def reduced(self, a):
        claim(a.value[0] >= 0, "what is reduced is not negative")
        # What the limbs below the highest come to together, in units of the highest.
        below = [sum(limb[end] << (self.bits * at) for at, limb in enumerate(a.limbs[:-1])) for end in (0, 1)]
        least, greatest = Fraction(below[0], self.top), Fraction(below[1], self.top)
        # The value is `highest + below`, so that the highest limb cannot be more, or less, than these.
        highest = a.value[1] // self.top - (below[0] // self.top)
        claim(highest <= self.mask, "the highest limb is a factor")
        # Not too large: (highest − BORROWED)·QUOTIENT/2^52·p ≤ (highest + below)·2^364.
        claim(self.quotient * self.p <= self.radix, "the quotient is rounded down")
        claim(least >= -self.borrowed, "what limbs borrow is taken off the estimate")
        # Not too small: `rest` is what is left when the quotient lacks what rounding takes off it.
        lost = Fraction(self.radix - self.quotient * self.p, self.radix)
        rest = (greatest + self.borrowed) * self.top + max(highest, 0) * lost * self.top + self.p
        claim(rest < self.short, "what is left is short")
        quotient = highest * self.quotient >> self.bits
        claim(quotient <= self.mask, "the quotient is a factor")
        limbs = [(low, high + 2 * self.mask) for low, high in a.limbs]
        self.words(limbs)
        return self.below(self.short)

    def words(self, limbs):
        over = (0, 0)
        for low, high in limbs:
            total = (low + over[0], high + over[1])
            claim(-I64 <= total[0] and total[1] < I64, "a limb with what is carried into it is a signed word")
            over = (total[0] >> self.bits, total[1] >> self.bits)

    def canonical(self, a):
        claim(0 <= a.value[0] and a.value[1] < 2 * self.p, "one subtraction is enough")
        return self.below(self.p)


def states(field):
    """What the names of states promise."""
    claim(field.short < field.loose < field.widest < field.radix, "the states lie in each other")
    short, loose, widest = (field.below(bound) for bound in (field.short, field.loose, field.widest))
    field.mul(loose, loose)
    field.square(loose)
    field.mul(short, widest)
    return short, loose


def conversions(field):
    """`octet/conversions.rs` and `Single::negated`."""
    text = source("fast/vector/octet/conversions.rs")
    claim("_mm512_slli_epi64::<32>(a)" in text, "blst's elements are shifted by 32 bits")
    widened = field.below(field.p << 32)
    field.reduced(widened)
    of_integers = field.below(1 << 384)
    field.mul(of_integers, field.below(field.p))
    short = field.below(field.short)
    for factor in (1 << constant(text, r"limbs\[7\] = 1 << (\d+);") + field.bits * 7, 1):
        field.canonical(field.mul(short, field.multiple(factor)))
    claim(field.short <= 2 * field.p, "Single::negated takes a short element off p or 2p")
    claim(2 * field.p - field.p < field.short, "and leaves a short one")
    return widened


def callers(field, short, loose, widened):
    """Every operation of `lockstep`, `commitments` and `decompression`, on points whose coordinates are short."""
    one = cube_root = four = field.below(field.p)
    # points.rs: Addends::x, Addends::y and copy_to.
    field.mul(cube_root, widened)
    x = y = other = short
    field.reduced(field.negated_where(field.reduced(widened)))
    # steps.rs: divisor; `other` is what `Addends::x` or a point has.
    runs = [field.minus(other, x), field.plus(y, y), one]
    for run in runs:
        # multiply: the product so far is one or a product.
        field.mul(short, run)
    # finish: the inverses are products, and so are `before` and what is left of them.
    own = field.mul(short, short)
    rises = [
        (field.tripled(field.square(x)), [field.plus_limbs(x, x)]),
        (field.signed_minus(widened, y), None),
        (field.minus(other, y), None),
        (field.minus(field.negated_where(other), y), None),
        (one, None),
    ]
    of_sum = [field.plus_limbs(field.plus_limbs(x, x), run) for run in runs]
    for rise, both in rises:
        slope = field.mul(own, rise)
        for sum_of_x in both or of_sum:
            third = field.minus_sum(field.square(slope), sum_of_x)
            field.difference(field.mul(slope, field.minus(x, third)), y)
    # Step::Nothing: all of a point that is not there is one.
    field.minus_sum(field.square(short), field.plus_limbs(field.plus_limbs(one, one), one))
    # batch.rs and products.rs: times −φ, and the comparison with it.
    field.canonical(field.reduced(field.negated_where(short)))
    field.canonical(field.mul(cube_root, short))
    # decompression.rs.
    right = field.reduced(field.plus(field.mul(field.square(short), short), four))
    field.canonical(right)
    field.canonical(field.square(short))


def prove(p):
    field = Field(p)
    short, loose = states(field)
    callers(field, short, loose, conversions(field))


# As in `limbs.py`: with each of them some claim is false.
CHANGES = [
    ("fast/vector/octet/arithmetic.rs", "const BORROWED: u64 = 4;", "const BORROWED: u64 = 2;"),
    ("fast/vector/octet/arithmetic.rs", "const BORROWED: u64 = 4;", "const BORROWED: u64 = 40_000;"),
    ("fast/vector/octet/constants.rs", "const BITS: u32 = 52;", "const BITS: u32 = 51;"),
    ("fast/vector/octet/constants.rs", "const LIMBS: usize = 8;", "const LIMBS: usize = 7;"),
    ("fast/vector/octet/constants.rs", "times_p(2)", "times_p(1)"),
    ("fast/vector/octet/constants.rs", "times_p(7)", "times_p(5)"),
    ("fast/vector/octet/constants.rs", "times_p((1 << 32) + 2)", "times_p((1 << 31) + 2)"),
    ("fast/vector/octet/mod.rs", "below `1.2p`", "below `1.1p`"),
    ("fast/vector/octet/mod.rs", "below `2^390`", "below `2^399`"),
    ("fast/vector/octet/mod.rs", "below `2^413`", "below `2^414`"),
    ("fast/vector/octet/conversions.rs", "limbs[7] = 1 << 20;", "limbs[7] = 1 << 51;"),
]
