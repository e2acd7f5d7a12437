// Sends transactions to real clients, and demands the gas that each took in revm. Writes a table.
//
//     node gas.js TRANSACTIONS GETH TABLE
//
// `cargo xtask gas` calls it. TRANSACTIONS is the output of `evm-tests/examples/gas.rs`.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [transactions, geth, table] = process.argv.slice(2);
const at = (name) => new URL(name, import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'duet-gas-'));
const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The forks in order, and the clients that know each. Amsterdam is coming. */
const clients = { Prague: [anvil, dev], Osaka: [anvil, dev], Amsterdam: [dev] };
const forks = Object.keys(clients);

function anvil(fork) {
  const args = ['--host', '127.0.0.1', '--port', '0', '--hardfork', fork.toLowerCase()];
  return started(at('node_modules/.bin/anvil').pathname, args, /Listening on (\S+)\s/);
}

/** geth, as its developers' network. That begins at a fork of its own, so the genesis says when each fork begins. */
function dev(fork) {
  const data = join(folder, fork);
  const genesis = JSON.parse(execFileSync(geth, ['--dev', 'dumpgenesis'], { stdio: ['ignore', 'pipe', 'ignore'] }));
  const times = Object.keys(genesis.config).filter((key) => key.endsWith('Time'));
  for (const time of times) delete genesis.config[time];
  const past = ['Shanghai', 'Cancun', ...forks.slice(0, forks.indexOf(fork) + 1)];
  for (const one of past) genesis.config[`${one.toLowerCase()}Time`] = 0;
  genesis.gasLimit = '0x5f5e100';
  // The account whose key is part of geth.
  genesis.alloc['71562b71999873db5b286df957af199ec94617f7'] = { balance: '0xffffffffffffffffffffffff' };
  writeFileSync(`${data}.json`, JSON.stringify(genesis));
  execFileSync(geth, ['init', '--datadir', data, `${data}.json`], { stdio: ['ignore', 'ignore', 'pipe'] });
  const args = ['--dev', '--datadir', data, '--http', '--http.port', '0', '--port', '0', '--authrpc.port', '0', '--ipcdisable'];
  return started(geth, args, /HTTP server started\s+endpoint=(\S+)\s/);
}

/** Starts a client. Returns a function that asks it. */
function started(program, args, words) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (text) => {
      said += text;
      const address = said.match(words)?.[1];
      if (address) resolve((method, ...params) => ask(`http://${address}`, method, params));
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`${program} ${args.join(' ')}\n${said}`)));
  });
}

async function ask(url, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = await answer.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** The receipt of a transaction that succeeded. */
async function mined(node, transaction) {
  const [from] = await node('eth_accounts');
  const hash = await node('eth_sendTransaction', { from, ...transaction });
  for (let tries = 0; tries < 1000; tries += 1) {
    // geth knows no receipt before its index is ready.
    const receipt = await node('eth_getTransactionReceipt', hash).catch(() => null);
    if (receipt?.status === '0x1') return receipt;
    if (receipt) throw new Error(`reverted: ${JSON.stringify(receipt)}`);
    await pause(20);
  }
  throw new Error(`no receipt of ${hash}`);
}

/** The code that deploys a contract, with names where the addresses of libraries belong. */
function bytecode({ contract }) {
  return readFileSync(at(`out/${contract}.bin`), 'utf8').trim();
}

const chains = readFileSync(transactions, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const sizes = [...new Set(chains.map(({ n }) => n))].sort((one, other) => one - other);
const columns = forks.flatMap((fork) => sizes.map((n) => ({ fork, n })));
/** Gas by the name of the transaction, then by column. Deployments come first. */
const rows = new Map(chains.flatMap(({ name, libraries }) => [{ name }, ...libraries]).map(({ name }) => [name, {}]));
const differences = [];
const versions = new Set();

function compare(client, { fork, n }, { name, gas }, receipt) {
  const got = Number(receipt.gasUsed);
  if (got !== gas) differences.push(`${fork}, n = ${n}, ${name ?? 'a proof between'}: ${gas} in revm, ${got} in ${client}`);
  if (!name) return;
  if (!rows.has(name)) rows.set(name, {});
  rows.get(name)[`${fork} ${n}`] = got;
}

for (const fork of forks) {
  for (const start of clients[fork]) {
    const node = await start(fork);
    const client = (await node('web3_clientVersion')).split('/').slice(0, 2).join(' ');
    versions.add(client);
    // Osaka limits the gas of a transaction. Amsterdam counts what pays for state apart from that.
    const gas = fork === 'Amsterdam' ? '0x2faf080' : '0xf42400';
    for (const chain of chains.filter((one) => one.fork === fork)) {
      let code = bytecode(chain);
      for (const library of chain.libraries) {
        // A byte of zero in its address would make the client's code cheaper than in revm.
        const deploy = () => mined(node, { gas, data: `0x${bytecode(library)}` });
        let receipt = await deploy();
        while (/^0x(..)*00/.test(receipt.contractAddress)) receipt = await deploy();
        compare(client, chain, library, receipt);
        code = code.replaceAll(`__${library.contract}`.padEnd(40, '_'), receipt.contractAddress.slice(2));
      }
      const deployment = await mined(node, { gas, data: `0x${code}${chain.arguments}` });
      compare(client, chain, chain, deployment);
      for (const call of chain.calls) {
        compare(client, chain, call, await mined(node, { gas, to: deployment.contractAddress, data: `0x${call.data}` }));
      }
    }
  }
}
const number = (gas) => (gas ? String(gas).replace(/\B(?=(\d{3})+$)/g, ' ') : '–');
const line = (cells) => `| ${cells.join(' | ')} |`;
const text = [
  line(['transaction', ...columns.map(({ fork, n }) => `${fork}, n = ${number(n)}`)]),
  line(['---', ...columns.map(() => '--:')]),
  ...[...rows].map(([name, gas]) => line([name, ...columns.map(({ fork, n }) => number(gas[`${fork} ${n}`]))])),
  '',
].join('\n');
writeFileSync(table, text);
console.log(`${text}\nrevm, ${[...versions].join(', ')}`);
if (differences.length) throw new Error(`the gas differs:\n${differences.join('\n')}`);
process.exit();
