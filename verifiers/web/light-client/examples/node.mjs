// Verified balances in Node: `node node.mjs GENESIS_HASH ADDRESS URL...`

import { create, file } from "duet-light-client";

const [genesisHash, address, ...endpoints] = process.argv.slice(2);
const client = create({ genesisHash, endpoints, storage: file("trusted") });
client.on("fault", (fault) => console.error(`${fault.endpoint ?? "the client"}: ${fault.message}`));
client.on("head", ({ block, signers, of }) => console.log(`block ${block} is final, ${signers} of ${of} signed`));

await client.ready;
const { free, nonce, block } = await client.account(address);
console.log(`${address} has ${free} free and nonce ${nonce} in block ${block}`);
await client.destroy();
