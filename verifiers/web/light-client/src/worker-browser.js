// The light client's worker in a browser.

import { serve } from "./browser.js";

serve();
