// Minifies the scripts of the page, in `dist/page`. The package's own scripts stay unchanged: applications minify them
// with their own code.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { transformSync } from "esbuild";

const page = new URL("../dist/page/", import.meta.url);

for (const folder of ["", "light-client/src/", "light-client/wasm/"]) {
  for (const name of readdirSync(new URL(folder, page)).filter((file) => file.endsWith(".js"))) {
    const file = new URL(`${folder}${name}`, page);
    const { code } = transformSync(readFileSync(file, "utf8"), { minify: true, format: "esm", target: "es2022" });
    writeFileSync(file, code);
  }
}
