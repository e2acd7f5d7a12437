import { look } from "./look.js";

console.log(JSON.stringify(await look(JSON.parse(process.argv[2]))));
