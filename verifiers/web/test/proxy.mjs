// A proxy between a light client and a real node, which changes what the node answers.

import { WebSocket, WebSocketServer } from "ws";

/**
 * Starts a proxy in front of a node. `change(request, answer)` gives what is sent instead of an answer: a message, a text
 * as it is, or nothing at all. `push(message)` does the same for what the node pushes.
 */
export async function proxy(test, node, { change = (_request, answer) => answer, push = (message) => message } = {}) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (client) => {
    const upstream = new WebSocket(node);
    const requests = new Map();
    const waiting = [];
    const send = (message) => message !== undefined && client.send(typeof message === "string" ? message : JSON.stringify(message));
    upstream.on("open", () => waiting.splice(0).forEach((text) => upstream.send(text)));
    upstream.on("error", () => client.close());
    upstream.on("close", () => client.close());
    upstream.on("message", (data) => {
      const message = JSON.parse(data);
      const request = requests.get(message.id);
      requests.delete(message.id);
      send(request ? change(request, message) : push(message));
    });
    client.on("message", (data) => {
      const request = JSON.parse(data);
      requests.set(request.id, request);
      if (upstream.readyState === WebSocket.OPEN) upstream.send(String(data));
      else waiting.push(String(data));
    });
    client.on("close", () => upstream.close());
  });
  await new Promise((resolve) => server.on("listening", resolve));
  test.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return `ws://127.0.0.1:${server.address().port}`;
}
