// Compiles `src/` with the pinned solc, under settings that make bytecode reproducible, into `out/`.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import solc from 'solc';

const at = (name) => new URL(name, import.meta.url);
const names = ['FinalityProof.sol', 'DuetLightClient.sol', 'OwnedDuetLightClient.sol', 'MmrLeaf.sol', 'examples/MessageBoard.sol', 'tests/Coefficient.sol'];
const deployed = [
  ['DuetLightClient.sol', 'DuetLightClient'],
  ['OwnedDuetLightClient.sol', 'OwnedDuetLightClient'],
  ['examples/MessageBoard.sol', 'MessageBoard'],
  ['tests/Coefficient.sol', 'Coefficient'],
];
const sources = Object.fromEntries(
  names.map((name) => [name, { content: readFileSync(at(`src/${name}`), 'utf8') }]),
);
const settings = {
  optimizer: { enabled: true, runs: 10000 },
  viaIR: true,
  evmVersion: 'prague',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
};
const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })));
if (output.errors?.length) throw new Error(output.errors.map((one) => one.formattedMessage).join('\n'));
mkdirSync(at('out/'), { recursive: true });
const hashes = [];
for (const [file, name] of deployed) {
  const { abi, evm } = output.contracts[file][name];
  writeFileSync(at(`out/${name}.bin`), evm.bytecode.object);
  writeFileSync(at(`out/${name}.json`), `${JSON.stringify(abi, null, 2)}\n`);
  if (file.startsWith('tests/')) continue;
  const hash = createHash('sha256').update(Buffer.from(evm.bytecode.object, 'hex')).digest('hex');
  hashes.push(`${hash}  ${name}\n`);
}
const pinned = at('bytecode.sha256');
if (process.argv[2] === '--pin') writeFileSync(pinned, hashes.join(''));
else if (readFileSync(pinned, 'utf8') !== hashes.join('')) throw new Error(`bytecode differs from bytecode.sha256:\n${hashes.join('')}`);
