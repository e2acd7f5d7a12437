"""Makes rsa3072.json: the scheme's definition in plain integers, with keys from `openssl genpkey`."""
import hashlib
import hmac
import json
import subprocess

BITS, LEN, E = 3072, 384, 65537
HALF = 1 << (BITS - 1)


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def counted(message):
    return len(message).to_bytes(8, "big") + message


def flagged(value):
    return b"\0" if value is None else b"\1" + value


def x_bytes(x):
    return None if x is None else x.to_bytes(LEN, "big")


def mask(h):
    blocks = [sha(b"BGR-V01-G", h, i.to_bytes(4, "big")) for i in range(LEN // 32)]
    return int.from_bytes(b"".join(blocks), "big") % HALF


def numbers():
    """The primes of a fresh key, from the text form that openssl prints."""
    command = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{BITS}", "-text"]
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith(" ") and name:
            found[name] += line.strip().replace(":", "")
        elif line.endswith(":"):
            name = line[:-1]
            found[name] = ""
        else:
            name = None
    return int(found["prime1"], 16), int(found["prime2"], 16)


class Signer:
    def __init__(self, index):
        self.p, self.q = numbers()
        self.n = self.p * self.q
        self.d = pow(E, -1, (self.p - 1) * (self.q - 1))
        self.seed = sha(b"vectors of 3072 bits", bytes([index]))
        self.fingerprint = sha(b"BGR-V01-FPRINT", self.n.to_bytes(LEN, "big"), E.to_bytes(4, "big"))

    def sign(self, message, x, h):
        keyed = b"BGR-V01-R" + counted(message) + flagged(h) + flagged(x_bytes(x))
        r = hmac.new(self.seed, keyed, hashlib.sha256).digest()[:16]
        eta = sha(b"BGR-V01-H", self.fingerprint, counted(message), r, flagged(x_bytes(x)))
        h = eta if h is None else bytes(a ^ b for a, b in zip(h, eta))
        number = pow(mask(h) ^ (x or 0), self.d, self.n)
        return r, number // HALF, number % HALF, h


def core(hops, x, h):
    bits = bytearray((len(hops) + 7) // 8)
    for i, (_, b) in enumerate(hops):
        bits[i // 8] |= b << (i % 8)
    return x_bytes(x) + h + b"".join(r for r, _ in hops) + bytes(bits)


def chain(signers, messages):
    x = h = None
    hops, steps = [], []
    for signer, message in zip(signers, messages):
        r, b, x, h = signer.sign(message, x, h)
        hops.append((r, b))
        steps.append({"message": message.hex(), "r": r.hex(), "b": b, "x": x_bytes(x).hex(), "h": h.hex()})
    return hops, steps, x, h


def malleated(signers, messages):
    """A chain whose last number still fits its bits when the modulus is added."""
    for tail in range(10_000):
        last = messages[-1] + b"|%d" % tail
        hops, _, x, h = chain(signers, messages[:-1] + [last])
        again = x + hops[-1][1] * HALF + signers[-1].n
        if again < 2 * HALF:
            hops[-1] = (hops[-1][0], again // HALF)
            return last, core(hops, again % HALF, h)
    raise SystemExit("no such chain; run again for other keys")


def main():
    signers = [Signer(i) for i in range(3)]
    messages = [b"", b"the second hop", bytes(range(256)) * 3]
    hops, steps, x, h = chain(signers, messages)
    if {b for _, b in hops} != {0, 1}:
        return main()
    last, again = malleated(signers, messages)
    wire = core(hops, x, h)
    print(json.dumps({
        "modulus_bits": BITS,
        "e": E,
        "signers": [
            {"n": format(s.n, "x"), "p": format(s.p, "x"), "q": format(s.q, "x"),
             "fingerprint": s.fingerprint.hex(), "prf_seed": s.seed.hex()}
            for s in signers
        ],
        "steps": steps,
        "wire": wire.hex(),
        "wire_len": len(wire),
        "noncanonical_last_message": last.hex(),
        "reject_noncanonical": again.hex(),
    }, indent=1))


if __name__ == "__main__":
    main()
