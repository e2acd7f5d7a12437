// Storage of the trusted state between runs.

import { readFile, rename, writeFile } from "node:fs/promises";

/**
 * Stores the state in a file, and the code of the runtime and the keys that its calls read in others beside it. Each write
 * replaces a whole file.
 */
export function file(path) {
  const [state, code, keys] = [one(path), one(`${path}.code`), one(`${path}.keys`)];
  return { ...state, loadCode: code.load, saveCode: code.save, loadKeys: keys.load, saveKeys: keys.save };
}

function one(path) {
  const written = `${path}.new`;
  let before = Promise.resolve();
  const replace = async (bytes) => {
    await writeFile(written, bytes, { flush: true });
    await rename(written, path);
  };
  return {
    async load() {
      try {
        return new Uint8Array(await readFile(path));
      } catch (error) {
        if (error.code === "ENOENT") return undefined;
        throw error;
      }
    },
    save(bytes) {
      before = before.catch(() => {}).then(() => replace(bytes));
      return before;
    },
  };
}
