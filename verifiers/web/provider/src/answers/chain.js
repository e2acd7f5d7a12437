// `chain_*` and similar methods: headers, hashes and bodies of proven blocks.

import { toHex } from "duet-light-client/text";
import { headerJson } from "../header.js";
import { badParams } from "../error.js";
import { hashOf, numberOf } from "./params.js";

const MAX_HASHES = 64;

/** The number of a block and its hash, with the endpoint that was asked. */
function at({ block, hash, endpoint }) {
  return { block, hash, endpoint };
}

async function finalizedHead({ chain }) {
  const { number, hash } = await chain.head();
  return { result: hash, block: number, hash };
}

async function hashAt({ client, chain }, number) {
  const head = await chain.head();
  if (number > head.number) return { result: null, block: head.number, hash: head.hash };
  if (number === head.number) return { result: head.hash, block: number, hash: head.hash };
  const found = at(await client.block(number));
  return { ...found, result: found.hash };
}

async function blockHash(context, [numbers]) {
  if (numbers === undefined || numbers === null) return finalizedHead(context);
  if (!Array.isArray(numbers)) return hashAt(context, numberOf(numbers));
  if (numbers.length > MAX_HASHES) throw badParams(`at most ${MAX_HASHES} numbers in one request`);
  const result = [];
  for (const number of numbers) result.push((await hashAt(context, numberOf(number))).result);
  return { result };
}

async function header({ client, chain, wait }, [hash]) {
  const found = await client.block(hashOf(hash) ?? (await chain.head()).hash, wait);
  return { result: headerJson(found.header), ...at(found) };
}

async function block({ client, chain, wait }, [hash]) {
  const found = await client.body(hashOf(hash) ?? (await chain.head()).hash, wait);
  const extrinsics = found.extrinsics.map(toHex);
  return { result: { block: { header: headerJson(found.header), extrinsics }, justifications: null }, ...at(found) };
}

async function finalizedHeads({ chain }, _params, push) {
  const first = await chain.head();
  const send = ({ number, hash, header: bytes }) => push(headerJson(bytes), { block: number, hash });
  let end;
  return {
    start: () => {
      send(first);
      end = chain.listen(({ blocks }) => blocks.forEach(send));
    },
    end: () => end?.(),
  };
}

async function finalizedHeight({ chain }) {
  const { number, hash } = await chain.head();
  return { result: number, block: number, hash };
}

async function hashByHeight(context, [number]) {
  const { result, ...rest } = await hashAt(context, numberOf(number));
  return { result: result === null ? [] : [result], ...rest };
}

/** The result of `read`; `null` if the block is not on the proven chain. */
async function orNull(read) {
  try {
    return await read();
  } catch (error) {
    if (error.verdict !== "refused" && error.verdict !== "incomplete") throw error;
    return { result: null };
  }
}

function archiveHeader({ client, wait }, [hash]) {
  return orNull(async () => {
    const found = await client.block(hashOf(hash), wait);
    return { result: toHex(found.header), ...at(found) };
  });
}

function archiveBody({ client, wait }, [hash]) {
  return orNull(async () => {
    const found = await client.body(hashOf(hash), wait);
    return { result: found.extrinsics.map(toHex), ...at(found) };
  });
}

async function genesisHash({ client }) {
  const { genesisHash: hash } = await client.ready;
  return { result: hash, block: 0, hash };
}

export const chainAnswers = {
  finalizedHead, blockHash, header, block, finalizedHeads, finalizedHeight, hashByHeight, archiveHeader, archiveBody, genesisHash,
};
