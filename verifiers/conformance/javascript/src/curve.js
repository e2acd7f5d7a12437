// Points, scalars and pairings of BLS12-381. (ENC-1 to ENC-5, MSG-1, DLEQ-1, DLEQ-2)

import { bls12_381 as bls } from '@noble/curves/bls12-381';
import { bigEndian, compare, concat, littleEndian, sha256, text } from './bytes.js';
import { Broken, require } from './broken.js';

const { Fp, Fp2, Fp12 } = bls.fields;
export const G1 = bls.G1.ProjectivePoint;
const G2 = bls.G2.ProjectivePoint;
/** The order of both groups. */
export const R = bls.fields.Fr.ORDER;
const HALF = (Fp.ORDER - 1n) / 2n;

export const SUITES = {
  ordinary: text('BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'),
  possession: text('BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_'),
  recovery: text('BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_DUET_RECOVERY_'),
  'recovery possession': text('BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_DUET_RECOVERY_POP_'),
};

/** ENC-1 and ENC-2: the coordinates of x, and the sign. */
function readFlags(bytes) {
  const [compressed, infinity, sign] = [0x80, 0x40, 0x20].map((bit) => (bytes[0] & bit) !== 0);
  const rest = Uint8Array.from(bytes);
  rest[0] &= 0x1f;
  require(compressed, 'ENC-1');
  if (infinity) {
    throw new Broken(!sign && rest.every((byte) => byte === 0) ? 'ENC-2' : 'ENC-1');
  }
  const numbers = [];
  for (let at = 0; at < rest.length; at += 48) numbers.push(bigEndian(rest.subarray(at, at + 48)));
  require(numbers.every((number) => number < Fp.ORDER), 'ENC-1');
  return { numbers, sign };
}

/** ENC-3: a root of y², if there is one. */
function root(field, square) {
  let y;
  try {
    y = field.sqrt(square);
  } catch {
    throw new Broken('ENC-3');
  }
  require(field.eql(field.sqr(y), square), 'ENC-3');
  return y;
}

/** A point of G1. Keys that the chain has checked need no second check of the subgroup. (SET-5) */
export function g1(bytes, { registered = false } = {}) {
  const { numbers, sign } = readFlags(bytes);
  const [x] = numbers;
  const y = root(Fp, Fp.add(Fp.mul(Fp.sqr(x), x), 4n));
  const point = G1.fromAffine({ x, y: y > HALF === sign ? y : Fp.neg(y) });
  require(registered || point.isTorsionFree(), 'ENC-4');
  return point;
}

export function g2(bytes, { registered = false } = {}) {
  const { numbers, sign } = readFlags(bytes);
  const x = Fp2.fromBigTuple([numbers[1], numbers[0]]);
  const y = root(Fp2, Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.fromBigTuple([4n, 4n])));
  const larger = y.c1 === 0n ? y.c0 > HALF : y.c1 > HALF;
  const point = G2.fromAffine({ x, y: larger === sign ? y : Fp2.neg(y) });
  require(registered || point.isTorsionFree(), 'ENC-4');
  return point;
}

export const encode = (point) => point.toRawBytes(true);
export const times = (point, scalar) => point.multiplyUnsafe(scalar % R);
export const sum = (points) => points.reduce((one, other) => one.add(other), G1.ZERO);
export const sumOfG2 = (points) => points.reduce((one, other) => one.add(other), G2.ZERO);

/** MSG-1 */
export function hashToG1(suite, message) {
  const point = bls.G1.hashToCurve(concat(SUITES[suite], message), { DST: Uint8Array.of(1) });
  return G1.fromAffine(point.toAffine());
}

/** `e(left, g2) = Π e(rightᵢ, pointᵢ)` */
export function equationHolds(left, rights) {
  const pairs = rights.map(([right, point]) => ({ g1: right.negate(), g2: point }));
  pairs.push({ g1: left, g2: G2.BASE });
  const finite = pairs.filter((pair) => !pair.g1.equals(G1.ZERO));
  return Fp12.eql(bls.pairingBatch(finite), Fp12.ONE);
}

/** The Hash of docs/spec/proofs.md. */
export function hashToScalar(...parts) {
  const b0 = sha256(new Uint8Array(48), ...parts, Uint8Array.of(0, 48, 0, 0));
  const b1 = sha256(b0, Uint8Array.of(1, 0));
  const b2 = sha256(b0.map((byte, at) => byte ^ b1[at]), Uint8Array.of(2, 0));
  return bigEndian(concat(b1, b2).subarray(0, 48)) % R;
}

/** ENC-5 */
function scalar(bytes) {
  const number = littleEndian(bytes);
  require(number < R, 'ENC-5');
  return number;
}

/** DLEQ-2: gives σ. */
export function checkSignature(key, hash, signature) {
  const [c, s] = [scalar(signature.subarray(48, 80)), scalar(signature.subarray(80))];
  const sigma = g1(signature.subarray(0, 48));
  const a = times(G1.BASE, s).add(times(key, c));
  const b = times(hash, s).add(times(sigma, c));
  const challenge = hashToScalar(...[hash, key, sigma, a, b].map(encode));
  require(challenge === c, 'DLEQ-2');
  return sigma;
}

/** SET-1: keys are in the order of their bytes. */
export const ascend = (keys) => keys.every((key, at) => at === 0 || compare(keys[at - 1], key) < 0);

/** The half in G2 of the key of a secret. (KEY-1) */
export const encodeOfG2 = (secret) => encode(G2.BASE.multiplyUnsafe(secret));
