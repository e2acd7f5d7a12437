// Storage of the trusted state between visits. A storage has two functions: `load()` returns bytes or nothing, and
// `save(bytes)` stores them. Anybody who can write to it decides what the client trusts. With `loadCode()` and
// `saveCode(bytes)` it also stores the code of the runtime, which is checked, and with `loadKeys()` and `saveKeys(bytes)`
// the keys that calls of it read, which are fetched first, and proven.

import { fromHex, toHex } from "./text.js";

const STORE = "trusted";

/** Stores the state in the browser's IndexedDB, under the caller's name. */
export function indexedDb(name) {
  const open = request(() => {
    const opening = indexedDB.open("duet-light-client", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    return opening;
  });
  const store = async (mode) => (await open).transaction(STORE, mode).objectStore(STORE);
  const load = (key) => async () => {
    const objects = await store("readonly");
    return request(() => objects.get(key));
  };
  const save = (key) => async (bytes) => {
    const objects = await store("readwrite");
    await request(() => objects.put(bytes, key));
  };
  const [code, keys] = [`${name}:code`, `${name}:keys`];
  return { load: load(name), save: save(name), loadCode: load(code), saveCode: save(code), loadKeys: load(keys), saveKeys: save(keys) };
}

/** Stores the state in the browser's localStorage, which has room for a state without keys. */
export function localStorage(name) {
  const key = `duet-light-client:${name}`;
  return {
    load: async () => fromHex(globalThis.localStorage.getItem(key)),
    save: async (bytes) => globalThis.localStorage.setItem(key, toHex(bytes)),
  };
}

function request(make) {
  return new Promise((resolve, reject) => {
    const made = make();
    made.onsuccess = () => resolve(made.result);
    made.onerror = () => reject(made.error);
  });
}
