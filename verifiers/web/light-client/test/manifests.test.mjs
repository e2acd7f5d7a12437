// The manifests of the packages, as bundlers, registries and installers read them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const WEB = new URL("../../", import.meta.url);
const PACKAGES = ["light-client", "provider", "types"];
const read = (path) => readFileSync(new URL(path, WEB), "utf8");
const manifests = Object.fromEntries(PACKAGES.map((folder) => [folder, JSON.parse(read(`${folder}/package.json`))]));
const workspace = read("../../Cargo.toml");
const scripts = (folder) => readdirSync(new URL(`${folder}/src/`, WEB), { recursive: true }).filter((name) => name.endsWith(".js"));

/** What a bundle has of a script that is imported for its side effects alone. */
function kept(folder, name) {
  const resolveDir = fileURLToPath(new URL(folder, WEB));
  const stdin = { contents: `import "./src/${name}";`, resolveDir };
  const { outputFiles } = buildSync({ stdin, bundle: true, minify: true, write: false, format: "esm", platform: "node", logLevel: "silent" });
  return outputFiles[0].text.trim();
}

test("a bundle keeps the scripts of workers, and nothing that it does not use", () => {
  for (const folder of PACKAGES) {
    const started = scripts(folder).flatMap((name) => [...read(`${folder}/src/${name}`).matchAll(/new Worker\(new URL\("\.\/([\w-]+\.js)"/g)].map(([, worker]) => worker));
    assert.equal(started.length, folder === "light-client" ? 4 : 0);
    for (const name of scripts(folder)) assert.equal(kept(folder, name) !== "", started.includes(name), `${folder}/src/${name}`);
  }
});

test("the packages have the version, the repository and the folder of this source", () => {
  const [, version] = /^version = "(.+)"$/m.exec(workspace);
  const [, repository] = /^repository = "(.+)"$/m.exec(workspace);
  for (const folder of PACKAGES) {
    const manifest = manifests[folder];
    assert.equal(manifest.version, version);
    assert.deepEqual(manifest.repository, { type: "git", url: `git+${repository}.git`, directory: `verifiers/web/${folder}` });
    assert.ok(manifest.homepage.startsWith(repository) && manifest.bugs.startsWith(repository) && manifest.keywords.length > 0);
  }
});

test("what a package imports, or is made for, is a peer of a version that is tested", () => {
  const { devDependencies } = JSON.parse(read("package.json"));
  for (const folder of PACKAGES) {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifests[folder];
    const imported = scripts(folder).flatMap((name) => [...read(`${folder}/src/${name}`).matchAll(/from "([\w@][^":]*)"/g)].map(([, from]) => from.split("/")[0]));
    for (const name of imported) assert.ok(name in peerDependencies && !peerDependenciesMeta[name], `${folder} imports ${name}`);
    for (const [name, range] of Object.entries(peerDependencies)) {
      const tested = manifests[name.replace(/^duet-/, "")]?.version ?? devDependencies[name].split(".")[0];
      assert.equal(range.replace(">=", ""), tested, `${folder} has the peer ${name}`);
    }
  }
});

test("every file that a manifest exports is packed", () => {
  for (const folder of PACKAGES) {
    const { exports, types, files } = manifests[folder];
    const paths = [types, ...Object.values(exports).flatMap((one) => (typeof one === "string" ? one : Object.values(one)))];
    for (const path of paths) {
      read(`${folder}/${path}`);
      assert.ok(path === "./package.json" || files.some((name) => path.startsWith(`./${name}`)), `${folder}/${path}`);
    }
  }
});
