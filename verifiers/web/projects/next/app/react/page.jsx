"use client";

import { useEffect, useState } from "react";
import { Balance } from "../../balance.jsx";

export default function Page() {
  const [network, setNetwork] = useState();
  useEffect(() => setNetwork(JSON.parse(decodeURIComponent(location.hash.slice(1))).balance), []);
  if (!network) return null;
  const { genesisHash, endpoint, address } = network;
  return <Balance address={address} options={{ genesisHash, endpoints: [endpoint], trustOldStart: true }} />;
}
