// Where what is trusted is kept between two visits. A storage is two functions: `load()` gives bytes or nothing, `save(bytes)`
// takes them. Whoever can write there decides what the client trusts.

import { fromHex, toHex } from "./text.js";

const STORE = "trusted";

/** Keeps it in this browser's IndexedDB, under a name of the caller's. */
export function indexedDb(name) {
  const open = request(() => {
    const opening = indexedDB.open("duet-light-client", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    return opening;
  });
  const store = async (mode) => (await open).transaction(STORE, mode).objectStore(STORE);
  return {
    load: async () => {
      const objects = await store("readonly");
      return request(() => objects.get(name));
    },
    save: async (bytes) => {
      const objects = await store("readwrite");
      await request(() => objects.put(bytes, name));
    },
  };
}

/** Keeps it in this browser's localStorage, which has room for it without keys. */
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
