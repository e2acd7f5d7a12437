"""What every proof here is made of: claims, and constants that are read from the source."""

import re
import sys
from pathlib import Path

CURVE = Path(__file__).resolve().parent.parent / "src"
U32, U64, I64 = 1 << 32, 1 << 64, 1 << 63
proven = 0


def claim(holds, what):
    """One proven statement."""
    global proven
    if not holds:
        raise NotProven(what)
    proven += 1


class NotProven(Exception):
    """A claim that does not hold."""


# What a test of this program puts in place of what stands in a file: name, old text, new text.
changed = None


def source(name):
    text = (CURVE / name).read_text()
    if changed is None or changed[0] != name:
        return text
    if changed[1] not in text:
        sys.exit(f"{name} no longer has `{changed[1]}`")
    return text.replace(changed[1], changed[2])


def constant(text, pattern):
    """A number in the source; that it stands there exactly once is a claim of its own."""
    found = re.findall(pattern, text)
    claim(len(found) == 1, f"`{pattern}` stands once in the source")
    return int(found[0].replace("_", ""), 0)


def modulus():
    """`p`, from the bytes that encodings are compared with."""
    text = source("parameters.rs")
    body = re.search(r"BASE_FIELD_MODULUS: \[u8; 48\] = \[(.*?)\]", text, re.S).group(1)
    p = int.from_bytes(bytes(int(byte, 16) for byte in re.findall(r"0x[0-9a-f]{2}", body)), "big")
    z = -0xD201000000010000
    claim(p == (z - 1) ** 2 * (z**4 - z**2 + 1) // 3 + z, "p is the modulus of BLS12-381")
    return p


def split(number, bits, count):
    limbs = [number >> (bits * at) & ((1 << bits) - 1) for at in range(count)]
    claim(number >> (bits * count) == 0, "the number fits into its limbs")
    return limbs
