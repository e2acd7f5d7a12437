// What `bundle.mjs` bundles: the light client, and an application of polkadot-api over it.

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
