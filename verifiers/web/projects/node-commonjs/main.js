const { create } = require("duet-light-client");
const { papiProvider } = require("duet-provider");
const { rpc } = require("duet-types");

async function main({ balance, call }) {
  const read = async ({ genesisHash, endpoint }, what) => {
    const start = performance.now();
    const client = create({ genesisHash, endpoints: [endpoint], trustOldStart: true });
    await client.ready;
    const seen = await what(client);
    await client.destroy();
    return { ...seen, ms: Math.round(performance.now() - start) };
  };
  if (typeof papiProvider !== "function" || !rpc.duet) throw new Error("the other packages have other exports");
  const seen = {
    balance: await read(balance, async (client) => ({ free: String((await client.account(balance.address)).free) })),
    call: await read(call, async (client) => ({ result: Array.from((await client.call(call.method, call.parameters)).result) })),
  };
  console.log(JSON.stringify(seen));
}

main(JSON.parse(process.argv[2]));
