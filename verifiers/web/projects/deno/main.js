import { look } from "./look.js";

console.log(JSON.stringify(await look(JSON.parse(Deno.args[0]))));
