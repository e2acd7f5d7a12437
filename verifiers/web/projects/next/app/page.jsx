"use client";

import { useEffect, useState } from "react";
import { look } from "../look.js";

export default function Page() {
  const [seen, setSeen] = useState();
  useEffect(() => {
    look(JSON.parse(decodeURIComponent(location.hash.slice(1)))).then((found) => setSeen(JSON.stringify(found)), (error) => setSeen(error.stack));
  }, []);
  return seen && <pre id="seen">{seen}</pre>;
}
