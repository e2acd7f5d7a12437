// The main script of a page: takes the networks from the address, and shows what was seen.

import { look } from "./look.js";

const show = (text) => document.body.append(Object.assign(document.createElement("pre"), { id: "seen", innerText: text }));
look(JSON.parse(decodeURIComponent(location.hash.slice(1)))).then((seen) => show(JSON.stringify(seen)), (error) => show(error.stack));
