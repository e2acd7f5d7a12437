// For @polkadot/api: its ProviderInterface.

import { Listeners } from "./listeners.js";
import { Provider } from "./provider.js";

/** A provider for `ApiPromise.create({ provider })` of @polkadot/api. */
export class PolkadotJsProvider {
  #client;
  #options;
  #listeners = new Listeners();
  #provider;
  #connected = false;
  #off;

  constructor(client, options) {
    this.#client = client;
    this.#options = options;
    this.connect();
  }

  get hasSubscriptions() {
    return true;
  }

  get isClonable() {
    return true;
  }

  get isConnected() {
    return this.#connected;
  }

  clone() {
    return new PolkadotJsProvider(this.#client, this.#options);
  }

  /** Connects: waits for a proven head. Until then, `error` reports the reason, and the provider keeps trying. */
  async connect() {
    if (this.#provider) return;
    const provider = new Provider(this.#client, this.#options);
    this.#provider = provider;
    for (const name of ["answer", "fault"]) provider.on(name, (value) => this.#listeners.tell(name, value));
    this.#off = this.#client.on("fault", (fault) => fault.verdict === "fatal" && this.#lost(fault));
    while (this.#provider === provider && !this.#connected) {
      try {
        await this.#client.ready;
        if (this.#provider !== provider) return;
        this.#connected = true;
        this.#listeners.tell("connected");
      } catch (error) {
        this.#listeners.tell("error", error);
        // A client that was destroyed, or has no honest endpoint left, does not become ready any more.
        if (["fatal", "refused"].includes(error.verdict)) return;
      }
    }
  }

  /** The client has ended: there are no further blocks and answers. */
  #lost(fault) {
    if (!this.#connected) return;
    this.#listeners.tell("error", fault);
    this.disconnect();
  }

  async disconnect() {
    this.#off?.();
    this.#provider?.end();
    this.#provider = undefined;
    if (!this.#connected) return;
    this.#connected = false;
    this.#listeners.tell("disconnected");
  }

  /** Adds a listener for `connected`, `disconnected`, `error`, `answer` or `fault`. */
  on(type, listener) {
    return this.#listeners.on(type, listener);
  }

  send(method, params) {
    return this.#open().request(method, params);
  }

  async subscribe(_type, method, params, callback) {
    const { id, start } = await this.#open().subscribe(method, params, (result, error) => callback(error ?? null, result));
    // The caller gets the id first.
    setTimeout(start, 0);
    return id;
  }

  /** Ends a subscription. Returns false if there was none. */
  async unsubscribe(_type, method, id) {
    return this.#provider ? this.#provider.request(method, [id]) : false;
  }

  #open() {
    if (!this.#provider) throw new Error("the provider is not connected");
    return this.#provider;
  }
}
