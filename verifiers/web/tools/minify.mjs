// Bundles and minifies the scripts of the page, in `dist/page`: five files instead of thirty, each of which a browser would
// know of only when it has the one before. The package's own scripts stay unchanged: applications bundle them with theirs.

import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const page = new URL("../dist/page/", import.meta.url);
const client = new URL("light-client/src/", page);
const paths = (folder, names) => names.map((name) => fileURLToPath(new URL(`${name}.js`, folder)));
const options = { bundle: true, minify: true, format: "esm", target: "es2022", allowOverwrite: true, logLevel: "warning" };

const given = readdirSync(client);
const entryPoints = paths(client, ["browser", "chains", "worker-browser", "calls-browser", "watch"]);
const { metafile } = buildSync({ ...options, entryPoints, splitting: true, chunkNames: "part-[hash]", outdir: fileURLToPath(client), metafile: true });
const kept = Object.keys(metafile.outputs).map((path) => path.split("/").at(-1));
for (const name of given) if (!kept.includes(name)) rmSync(new URL(name, client));

buildSync({ ...options, entryPoints: paths(page, ["main"]), external: ["./light-client/*"], outdir: fileURLToPath(page) });
for (const name of readdirSync(page)) if (name.endsWith(".js") && name !== "main.js") rmSync(new URL(name, page));
