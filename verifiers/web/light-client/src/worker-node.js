// The light client's worker in Node.

import { serve } from "./node.js";

serve();
