import { call } from "./look.js";

chrome.runtime.onMessage.addListener((network, _sender, answer) => {
  call(network).then((called) => answer({ called }), (error) => answer({ error: error.stack }));
  return true;
});
