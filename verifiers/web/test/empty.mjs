// An empty page beside the package, in Chromium.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const PACKAGE = new URL("../dist/light-client/", import.meta.url);
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' ws:";

/** Opens the page, until the test ends; `loaded` are the files that it took. */
export async function openPage(t, browser) {
  const loaded = [];
  const server = createServer(async ({ url }, answer) => {
    loaded.push(url);
    answer.setHeader("Content-Type", TYPES[extname(url)] ?? "text/html");
    answer.setHeader("Content-Security-Policy", POLICY);
    answer.end(url === "/" ? "<!doctype html>" : await readFile(new URL(url.slice(1), PACKAGE)).catch(() => ""));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await browser.newPage();
  t.after(async () => {
    if (browser.connected) await page.close();
    server.close();
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return { page, loaded };
}
