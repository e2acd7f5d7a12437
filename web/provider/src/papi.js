// For PAPI 2: messages of JSON-RPC as objects.

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
    const answer = async ({ id, method, params }) => {
      try {
        const pushes = provider.pushes(method);
        if (!pushes) return post({ id, result: await provider.request(method, params) });
        const subscription = {};
        const { id: name, start } = await provider.subscribe(method, params, (result, error) => {
          const params = error ? { subscription: subscription.name, error: error.toJson() } : { subscription: subscription.name, result };
          post({ method: pushes, params });
        });
        subscription.name = name;
        post({ id, result: name });
        start();
      } catch (error) {
        post({ id, error: error.toJson() });
      }
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
