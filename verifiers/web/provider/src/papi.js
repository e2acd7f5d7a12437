// For PAPI 2: JSON-RPC messages as objects.

import { Listeners } from "./listeners.js";
import { Provider } from "./provider.js";

/** A provider for `createClient` of polkadot-api. */
export function papiProvider(client, options) {
  const listeners = new Listeners();
  const connect = (onMessage) => {
    const provider = new Provider(client, options);
    for (const name of ["answer", "fault"]) provider.on(name, (value) => listeners.tell(name, value));
    let open = true;
    const post = (message) => open && onMessage({ jsonrpc: "2.0", ...message });
    const ask = async ({ method, params }) => {
      const pushes = provider.pushes(method);
      if (!pushes) return { result: await provider.request(method, params) };
      const { id, start } = await provider.subscribe(method, params, (result, error) => {
        const body = error ? { error: error.toJson() } : { result };
        post({ method: pushes, params: { subscription: id, ...body } });
      });
      return { result: id, start };
    };
    const answer = async (request) => {
      const { start, ...body } = await ask(request).catch((error) => ({ error: error.toJson() }));
      post({ id: request.id, ...body });
      start?.();
    };
    return {
      send: (message) => {
        answer(message);
      },
      disconnect: () => {
        open = false;
        provider.end();
      },
    };
  };
  connect.on = (name, listener) => listeners.on(name, listener);
  return connect;
}
