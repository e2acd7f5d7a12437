// A verified balance in React: `<Balance address="5Grw…" options={{ genesisHash: "0x…", endpoints: ["wss://…"] }} />`.

import { useEffect, useState } from "react";
import { create } from "duet-light-client";

// One client for all components. It stays open as long as the page.
let client;

/** The newest proven block once the client is ready, and the last fault since. */
function useHead(options) {
  const [state, setState] = useState({});
  useEffect(() => {
    client ??= create(options);
    const change = (changed) => setState((before) => ({ ...before, ...changed }));
    const show = () => client.ready.then(() => change({ head: client.head, fault: undefined }), (fault) => change({ fault }));
    show();
    const ends = [client.on("head", show), client.on("fault", (fault) => change({ fault }))];
    return () => ends.forEach((end) => end());
  }, []);
  return state;
}

/** The account of an address, read again under each new block, or why it cannot be read. The last one is shown meanwhile. */
function useAccount(address, head) {
  const [read, setRead] = useState({});
  useEffect(() => {
    if (!head) return;
    let isCurrent = true;
    const show = (found) => isCurrent && setRead(found);
    client.account(address).then((account) => show({ account }), (fault) => show({ fault }));
    return () => void (isCurrent = false);
  }, [address, head]);
  return read;
}

export function Balance({ address, options }) {
  const { head, fault } = useHead(options);
  const read = useAccount(address, head);
  if (read.account) return <output>{`${read.account.free} in block ${read.account.block}`}</output>;
  return <output>{(read.fault ?? fault)?.message ?? "verifying…"}</output>;
}
