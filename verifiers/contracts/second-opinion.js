// Runs in @ethereumjs/evm what the tests did in revm, and demands the same answers: whether each deployment and each call
// succeeded, what it returned, and which events there were. Its curve is that of @noble/curves, and not blst.
//
//     node second-opinion.js STORIES [SHARE]
//
// Of stories that are one refused call, most of which are one changed bit, one in SHARE is told again; all by default.
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, NobleBLS } from '@ethereumjs/evm';
import { Address, bytesToUnprefixedHex, hexToBytes } from '@ethereumjs/util';

const [file, share = '1'] = process.argv.slice(2);
const forks = { Prague: Hardfork.Prague, Osaka: Hardfork.Osaka };
const deployer = new Address(hexToBytes(`0x${'00'.repeat(20)}`));
const gasLimit = 16_000_000n;
/** When each chain of the tests begins, in seconds. */
const beginning = 1_800_000_000;

/**
 * The curve, which computes each answer once: a story has most of its questions in common with others, and an answer depends on
 * nothing but the question.
 */
const curve = remembering(new NobleBLS(), ['addG1', 'addG2', 'mapFPtoG1', 'mapFP2toG2', 'msmG1', 'msmG2', 'pairingCheck']);

function remembering(curve, operations) {
  const remembered = (operation) => {
    const answers = new Map();
    return (input) => {
      const question = Buffer.from(input).toString('latin1');
      if (!answers.has(question)) answers.set(question, attempt(() => curve[operation](input)));
      const { output, error } = answers.get(question);
      if (error) throw error;
      return output.slice();
    };
  };
  return Object.fromEntries(operations.map((operation) => [operation, remembered(operation)]));
}

function attempt(question) {
  try {
    return { output: question() };
  } catch (error) {
    return { error };
  }
}

/** A block of this time, in seconds. The contracts ask for nothing else of it. */
function at(time) {
  const header = {
    number: 0n,
    coinbase: deployer,
    timestamp: BigInt(time),
    difficulty: 0n,
    prevRandao: new Uint8Array(32),
    gasLimit: 0n,
    slotNumber: 0n,
    getBlobGasPrice: () => undefined,
  };
  return { header };
}

/** A chain for each contract and its arguments, so that nothing is deployed twice. */
const chains = new Map();

async function deploy({ contract, fork, arguments: args }) {
  if (!forks[fork]) throw new Error(`unknown fork: ${fork}`);
  const common = new Common({ chain: Mainnet, hardfork: forks[fork] });
  const evm = await createEVM({ common, bls: curve });
  const address = await create(evm, contract, args);
  return { evm, address };
}

/** Deploys a contract, and the libraries before it whose names are in its code. Its address, unless it is refused. */
async function create(evm, contract, args) {
  let code = readFileSync(new URL(`out/${contract}.bin`, import.meta.url), 'utf8').trim();
  for (const name of new Set(code.match(/__\w{38}/g))) {
    const library = await create(evm, name.replaceAll('_', ''), '');
    code = code.replaceAll(name, bytesToUnprefixedHex(library.bytes));
  }
  const data = hexToBytes(`0x${code}${args}`);
  const { createdAddress, execResult } = await evm.runCall({ caller: deployer, data, gasLimit, block: at(beginning) });
  await evm.journal.cleanup();
  return execResult.exceptionError ? undefined : createdAddress;
}

async function answer({ evm, address }, { caller, time, data }) {
  const { execResult } = await evm.runCall({
    block: at(time),
    caller: new Address(hexToBytes(`0x${caller}`)),
    to: address,
    data: hexToBytes(`0x${data}`),
    gasLimit,
  });
  await evm.journal.cleanup();
  const ok = !execResult.exceptionError;
  // What is rolled back has no events.
  const events = ok ? (execResult.logs ?? []).map(([, topics]) => bytesToUnprefixedHex(topics[0])) : [];
  return { ok, output: bytesToUnprefixedHex(execResult.returnValue), events };
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
let told = 0;
let calls = 0;
let refused = 0;
let left = 0;
for await (const line of createInterface({ input: createReadStream(file) })) {
  const story = JSON.parse(line);
  const isRefusal = story.deployed && story.calls.length === 1 && !story.calls[0].ok;
  if (isRefusal && left++ % Number(share) !== 0) continue;
  const key = JSON.stringify([story.contract, story.fork, story.arguments]);
  if (!chains.has(key)) chains.set(key, await deploy(story));
  const chain = chains.get(key);
  if ((chain.address !== undefined) !== story.deployed) throw new Error(`the deployments differ: ${line}`);
  told += 1;
  if (!story.deployed) continue;
  await chain.evm.stateManager.checkpoint();
  for (const call of story.calls) {
    const got = await answer(chain, call);
    const { ok, output, events } = call;
    const expected = { ok, output, events };
    if (!same(got, expected)) {
      throw new Error(`${story.fork}: ${call.data}\nrevm: ${JSON.stringify(expected)}\nhere: ${JSON.stringify(got)}`);
    }
    calls += 1;
    if (!ok) refused += 1;
  }
  await chain.evm.stateManager.revert();
}
console.log(`second opinion: ${told} stories, ${calls} calls, ${refused} of them refused: the same in both`);
if (told < 100 || refused < 100 || refused === calls) throw new Error('too few stories to say anything');
