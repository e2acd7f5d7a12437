// The input of `bundle.mjs`: the light client, and a polkadot-api application on top of it.

import { createClient } from "polkadot-api";
import { create } from "duet-light-client";
import { papiProvider } from "duet-provider";

const [genesisHash, address, ...endpoints] = location.hash.slice(1).split(",");
const show = (text) => (document.body.innerText += `${text}\n`);
const light = create({ genesisHash, endpoints });
light.on("fault", (fault) => show(fault.message));
const client = createClient(papiProvider(light));
const { data } = await client.getUnsafeApi().query.System.Account.getValue(address);
show(`verified: ${data.free}`);
