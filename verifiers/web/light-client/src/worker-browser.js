// The light client's worker in a browser.

import { serveWorker } from "./host.js";
import { platform } from "./platform-browser.js";

serveWorker(platform, (take) => (self.onmessage = ({ data }) => take(data)), (message) => self.postMessage(message));
