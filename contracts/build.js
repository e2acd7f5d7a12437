// Compiles `src/` with the pinned solc, under settings that make bytecode reproducible.
import { readFileSync } from 'node:fs';
import solc from 'solc';

export function build() {
  const names = ['Bls12381.sol', 'FinalityEquation.sol'];
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(new URL(`src/${name}`, import.meta.url), 'utf8') }]),
  );
  const settings = {
    optimizer: { enabled: true, runs: 10000 },
    evmVersion: 'prague',
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object', 'evm.methodIdentifiers'] } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })));
  if (output.errors?.length) throw new Error(output.errors.map((one) => one.formattedMessage).join('\n'));
  return output.contracts['FinalityEquation.sol'].FinalityEquation;
}
