// Bundles `app.js` with esbuild: `node bundle.mjs`, then serve `dist/` and open `dist/#GENESIS_HASH,ADDRESS,URL`.
//
// The two workers are separate entry points, and they find the modules at `../wasm` beside the folder of the scripts.
// Bundlers that support `new URL(…, import.meta.url)`, such as Vite and webpack, need none of this.

import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
const client = join(here, "..");

await build({
  entryPoints: { app: join(here, "app.js"), "worker-browser": join(client, "src/worker-browser.js"), "calls-browser": join(client, "src/calls-browser.js") },
  outdir: join(out, "js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
});
await mkdir(join(out, "wasm"), { recursive: true });
for (const module of ["light", "calls", "outcomes"]) {
  const name = join("wasm", `duet_${module}_wasm_bg.wasm`);
  await cp(join(client, name), join(out, name));
}
await writeFile(join(out, "index.html"), '<!doctype html><meta charset="utf-8"><body><script type="module" src="js/app.js"></script>\n');
