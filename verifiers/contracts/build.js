// Compiles `src/` with the pinned solc, under settings that make bytecode reproducible, into `out/`. With `--second`, compiles
// with another version and other settings into `out/second/`, whose code the tests run too.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const isSecond = process.argv[2] === '--second';
const { default: solc } = await import(isSecond ? 'solc-second' : 'solc');
const at = (name) => new URL(name, import.meta.url);
const out = isSecond ? 'out/second' : 'out';
const version = solc.version().split('+')[0];
const names = ['FinalityProof.sol', 'ClientState.sol', 'RareCalls.sol', 'DuetLightClient.sol', 'OwnedDuetLightClient.sol', 'StateProof.sol', 'RecoveryCalls.sol', 'RecoverableDuetLightClient.sol', 'MmrLeaf.sol', 'examples/MessageBoard.sol', 'tests/AnyHeader.sol', 'tests/AnyHeaderCalls.sol', 'tests/Coefficient.sol'];
/// The libraries come first: clients are linked with their addresses.
const deployed = [
  ['RareCalls.sol', 'RareCalls'],
  ['RecoveryCalls.sol', 'RecoveryCalls'],
  ['DuetLightClient.sol', 'DuetLightClient'],
  ['OwnedDuetLightClient.sol', 'OwnedDuetLightClient'],
  ['RecoverableDuetLightClient.sol', 'RecoverableDuetLightClient'],
  ['examples/MessageBoard.sol', 'MessageBoard'],
  ['tests/AnyHeaderCalls.sol', 'AnyHeaderCalls'],
  ['tests/AnyHeader.sol', 'AnyHeader'],
  ['tests/Coefficient.sol', 'Coefficient'],
];
const sources = Object.fromEntries(
  names.map((name) => {
    const content = readFileSync(at(`src/${name}`), 'utf8');
    return [name, { content: isSecond ? content.replace(/pragma solidity [\d.]+;/, `pragma solidity ${version};`) : content }];
  }),
);
const settings = {
  optimizer: { enabled: true, runs: isSecond ? 10_000 : 50 },
  viaIR: true,
  evmVersion: 'prague',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '': ['ast'], '*': ['abi', 'devdoc', 'evm.bytecode', 'evm.deployedBytecode', 'userdoc'] } },
};
const input = { language: 'Solidity', sources, settings };
const output = JSON.parse(solc.compile(JSON.stringify(input)));
if (output.errors?.length) throw new Error(output.errors.map((one) => one.formattedMessage).join('\n'));
// For slither, which takes this for Hardhat's.
mkdirSync(at(`${out}/slither/build-info/`), { recursive: true });
writeFileSync(at(`${out}/slither/hardhat.config.cjs`), '');
writeFileSync(at(`${out}/slither/build-info/duet.json`), JSON.stringify({ solcVersion: version, input, output }));
const hashes = [];
for (const [file, name] of deployed) {
  const { abi, devdoc, evm, userdoc } = output.contracts[file][name];
  const { code, libraries } = linkable(evm.bytecode);
  writeFileSync(at(`${out}/${name}.bin`), code);
  writeFileSync(at(`${out}/${name}.json`), `${JSON.stringify(whole(abi, libraries), null, 2)}\n`);
  if (file.startsWith('tests/')) continue;
  const undocumented = abi.flatMap((item) => lacking(item, userdoc, devdoc));
  if (undocumented.length) throw new Error(`${name}: no NatSpec for ${undocumented.join(', ')}`);
  const hash = createHash('sha256').update(Buffer.from(code.replace(/__\w{38}/g, '0'.repeat(40)), 'hex')).digest('hex');
  hashes.push(`${hash}  ${name}\n`);
}
const pinned = at('bytecode.sha256');
if (isSecond) console.log(`solc ${version} compiles the contracts too`);
else if (process.argv[2] === '--pin') writeFileSync(pinned, hashes.join(''));
else if (readFileSync(pinned, 'utf8') !== hashes.join('')) throw new Error(`bytecode differs from bytecode.sha256:\n${hashes.join('')}`);

/// Bytecode with the names of libraries, as `__RareCalls___…`, where their addresses will be; and which these are.
function linkable({ object, linkReferences }) {
  const libraries = Object.entries(linkReferences).flatMap(([file, ones]) => Object.entries(ones).map((one) => [file, ...one]));
  const places = libraries.flatMap(([, name, found]) => found.map(({ start }) => [2 * start, `__${name}`.padEnd(40, '_')]));
  const code = places.reduce((code, [at, name]) => code.slice(0, at) + name + code.slice(at + 40), object);
  return { code, libraries: libraries.map(([file, name]) => output.contracts[file][name].abi) };
}

/// The interface of a contract: what its libraries emit and throw on its behalf is part of it.
function whole(abi, libraries) {
  const theirs = libraries.flat().filter(({ type }) => type === 'error' || type === 'event');
  return [...new Map([...abi, ...theirs].map((item) => [JSON.stringify(item), item])).values()];
}

/// What has no NatSpec of an item of the ABI: the item itself, or named arguments and results of it.
function lacking({ type, name, inputs, outputs = [] }, { errors, events, methods }, { methods: details }) {
  const signature = type === 'constructor' ? type : `${name}(${inputs.map(canonical)})`;
  if (type === 'error') return errors?.[signature]?.[0].notice ? [] : [signature];
  if (type === 'event') return events?.[signature]?.notice ? [] : [signature];
  if (!methods[signature]?.notice) return [signature];
  const { params = {}, returns = {} } = (Object.hasOwn(details, signature) && details[signature]) || {};
  const missing = (list, known) => list.filter((one) => one.name && !known[one.name]).map((one) => `${one.name} of ${signature}`);
  return [...missing(inputs, params), ...missing(outputs, returns)];
}

/// The type of an argument as signatures have it.
function canonical({ type, components }) {
  return components ? type.replace('tuple', `(${components.map(canonical)})`) : type;
}
