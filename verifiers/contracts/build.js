// Compiles `src/` with the pinned solc, under settings that make bytecode reproducible, into `out/`.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import solc from 'solc';

const at = (name) => new URL(name, import.meta.url);
const names = ['FinalityProof.sol', 'DuetLightClient.sol', 'OwnedDuetLightClient.sol', 'StateProof.sol', 'RecoverableDuetLightClient.sol', 'MmrLeaf.sol', 'examples/MessageBoard.sol', 'tests/AnyHeader.sol', 'tests/Coefficient.sol'];
const deployed = [
  ['DuetLightClient.sol', 'DuetLightClient'],
  ['OwnedDuetLightClient.sol', 'OwnedDuetLightClient'],
  ['RecoverableDuetLightClient.sol', 'RecoverableDuetLightClient'],
  ['examples/MessageBoard.sol', 'MessageBoard'],
  ['tests/AnyHeader.sol', 'AnyHeader'],
  ['tests/Coefficient.sol', 'Coefficient'],
];
const sources = Object.fromEntries(
  names.map((name) => [name, { content: readFileSync(at(`src/${name}`), 'utf8') }]),
);
const settings = {
  optimizer: { enabled: true, runs: 50 },
  viaIR: true,
  evmVersion: 'prague',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'devdoc', 'evm.bytecode.object', 'userdoc'] } },
};
const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })));
if (output.errors?.length) throw new Error(output.errors.map((one) => one.formattedMessage).join('\n'));
mkdirSync(at('out/'), { recursive: true });
const hashes = [];
for (const [file, name] of deployed) {
  const { abi, devdoc, evm, userdoc } = output.contracts[file][name];
  writeFileSync(at(`out/${name}.bin`), evm.bytecode.object);
  writeFileSync(at(`out/${name}.json`), `${JSON.stringify(abi, null, 2)}\n`);
  if (file.startsWith('tests/')) continue;
  const undocumented = abi.flatMap((item) => lacking(item, userdoc, devdoc));
  if (undocumented.length) throw new Error(`${name}: no NatSpec for ${undocumented.join(', ')}`);
  const hash = createHash('sha256').update(Buffer.from(evm.bytecode.object, 'hex')).digest('hex');
  hashes.push(`${hash}  ${name}\n`);
}
const pinned = at('bytecode.sha256');
if (process.argv[2] === '--pin') writeFileSync(pinned, hashes.join(''));
else if (readFileSync(pinned, 'utf8') !== hashes.join('')) throw new Error(`bytecode differs from bytecode.sha256:\n${hashes.join('')}`);

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
