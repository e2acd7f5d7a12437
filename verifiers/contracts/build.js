// Compiles `src/` with the pinned solc, under settings that make bytecode reproducible, into `out/`. With `--second`, compiles
// with another version and other settings into `out/second/`, whose code the tests run too.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const isSecond = process.argv[2] === '--second';
const { default: solc } = await import(isSecond ? 'solc-second' : 'solc');
const at = (name) => new URL(name, import.meta.url);
const out = isSecond ? 'out/second' : 'out';
const version = solc.version().split('+')[0];
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
  writeFileSync(at(`${out}/${name}.bin`), evm.bytecode.object);
  writeFileSync(at(`${out}/${name}.json`), `${JSON.stringify(abi, null, 2)}\n`);
  if (file.startsWith('tests/')) continue;
  const undocumented = abi.flatMap((item) => lacking(item, userdoc, devdoc));
  if (undocumented.length) throw new Error(`${name}: no NatSpec for ${undocumented.join(', ')}`);
  const hash = createHash('sha256').update(Buffer.from(evm.bytecode.object, 'hex')).digest('hex');
  hashes.push(`${hash}  ${name}\n`);
}
const pinned = at('bytecode.sha256');
if (isSecond) console.log(`solc ${version} compiles the contracts too`);
else if (process.argv[2] === '--pin') writeFileSync(pinned, hashes.join(''));
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
