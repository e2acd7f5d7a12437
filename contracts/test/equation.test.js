// The conformance vectors of whole finality proofs, decided by the precompiles of @ethereumjs/evm.
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import { Account, createAddressFromString, hexToBytes, bytesToHex } from '@ethereumjs/util';
import { bls12_381 as bls } from '@noble/curves/bls12-381.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { build } from '../build.js';

const VECTORS = new URL('../../conformance/vectors/justifications.json', import.meta.url);
const AT = createAddressFromString(`0x${'12'.repeat(20)}`);
const contract = build();
const hex = (number) => number.toString(16).padStart(128, '0');
const unhex = (text) => Uint8Array.from(Buffer.from(text, 'hex'));
const g1 = (bytes) => {
  const { x, y } = bls.G1.Point.fromBytes(bytes).toAffine();
  return unhex(hex(x) + hex(y));
};
const g2 = (bytes) => {
  const { x, y } = bls.G2.Point.fromBytes(bytes).toAffine();
  return unhex([x.c0, x.c1, y.c0, y.c1].map(hex).join(''));
};
const selector = (text) => bytesToHex(keccak_256(new TextEncoder().encode(text))).slice(0, 10);
const word = (number) => number.toString(16).padStart(64, '0');

function calldata(parts, method = 'check') {
  const tails = parts.map((p) => word(p.length) + Buffer.from(p).toString('hex').padEnd(Math.ceil(p.length / 32) * 64, '0'));
  let at = 32 * parts.length;
  const heads = tails.map((tail) => { const head = word(at); at += tail.length / 2; return head; });
  return hexToBytes(`0x${contract.evm.methodIdentifiers[`${method}(bytes,bytes,bytes,bytes)`]}${heads.join('')}${tails.join('')}`);
}

async function call(parts, hardfork = Hardfork.Prague, method = 'check') {
  const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork }) });
  await evm.stateManager.putAccount(AT, new Account());
  await evm.stateManager.putCode(AT, hexToBytes(`0x${contract.evm.deployedBytecode.object}`));
  const { execResult } = await evm.runCall({ to: AT, data: calldata(parts, method), gasLimit: 5_000_000n });
  return execResult.exceptionError ? bytesToHex(execResult.returnValue).slice(0, 10) : method === 'check' ? 'valid' : bytesToHex(execResult.returnValue);
}

const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8'));
const valid = cases.filter((c) => c.operation === 'justification' && c.expected.valid && c.expected.apk1);
function partsOf({ input, expected }) {
  const bytes = hexToBytes(input.justification);
  const signed = Buffer.concat([Buffer.from('duet-v1'), hexToBytes(input.genesis_hash), bytes.slice(0, 168)]);
  return [signed, g1(bytes.slice(-144, -96)), g1(hexToBytes(expected.apk1)), g2(bytes.slice(-96))];
}

for (const hardfork of [Hardfork.Prague, Hardfork.Osaka]) {
  test(`every valid finality proof holds under ${hardfork}`, async () => {
    assert.ok(valid.length > 5);
    for (const one of valid) assert.equal(await call(partsOf(one), hardfork), 'valid', one.id);
  });
}

test('another message, another point or infinity is refused', async () => {
  const parts = partsOf(valid[0]);
  const put = (i, value) => parts.map((part, j) => (j === i ? value : part));
  for (let byte = 0; byte < 207; byte += 23) {
    const other = Uint8Array.from(parts[0]);
    other[byte] ^= 1;
    assert.equal(await call(put(0, other)), selector('Rule_JUST_5()'));
  }
  assert.equal(await call(put(1, parts[2])), selector('Rule_JUST_5()'));
  assert.equal(await call(put(2, parts[1])), selector('Rule_JUST_5()'));
  const broken = Uint8Array.from(parts[1]);
  broken[127] ^= 1;
  assert.equal(await call(put(1, broken)), selector('Rule_ENC(address)'));
  for (const i of [1, 3]) assert.equal(await call(put(i, new Uint8Array(parts[i].length))), selector('Rule_ENC_Form()'));
  assert.equal(await call(put(1, parts[1].slice(1))), selector('Rule_ENC_Form()'));
});

test('the coefficient is the hash that JUST-5 says', async () => {
  const field = (value) => [Buffer.from(word(value.length), 'hex').reverse().subarray(0, 8), value];
  for (const one of valid) {
    const [signed, s, apk1, apk2] = partsOf(one);
    const bytes = hexToBytes(one.input.justification);
    const message = Buffer.concat([Buffer.from('BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'), signed]);
    const point = bls.G1.Point.fromAffine(bls.G1.hashToCurve(message, { DST: Uint8Array.of(1) }).toAffine());
    const fields = [Buffer.from('duet-v1/justification/t'), point.toBytes(), hexToBytes(one.expected.apk1), bytes.slice(-96), bytes.slice(-144, -96)];
    const digest = createHash('sha256').update(Buffer.concat(fields.flatMap(field))).digest();
    const t = `0x${'00'.repeat(16)}${digest.subarray(0, 16).reverse().toString('hex')}`;
    const coordinates = g1(point.toBytes());
    assert.equal(await call([coordinates, s, apk1, apk2], Hardfork.Prague, 'coefficient'), t, one.id);
  }
});
