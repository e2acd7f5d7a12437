// Where clients run. All clients of a page or of a process share one module and one worker, in which each has its own
// state. The worker ends with the last of them. If it stops, each client is told, and goes on in a new one.

import { DuetError, onTrap } from "./error.js";
import { Session } from "./session.js";

// Milliseconds. A worker that owes an answer hangs if it stays silent for `silence`, and then again: no message may take
// it longer. One that stops before it is `young` no more, by nobody's known fault, is not replaced: the next would stop too.
const TIMES = { silence: 30_000, young: 60_000 };

/** What clients share; `platform` creates workers and sockets, and loads the module. */
export class Host {
  #platform;
  #worker;
  #opened;
  #clients = new Map();
  #next = 0;
  #timer;
  #times;

  constructor(platform, times = TIMES) {
    this.#platform = platform;
    this.#times = times;
  }

  /** The code that watches transactions, which only who does so loads. */
  loadWatch() {
    return this.#platform.loadWatch();
  }

  /** Starts a client: `{ call(method, parameters), destroy() }`. `emit(name, value)` gets its events. */
  start({ worker = this.#platform.hasWorkers, ...options }, state, emit) {
    if (!worker) return beside(this.#platform, { options, state }, emit);
    return new Promise((started, failed) => {
      const client = { name: (this.#next += 1), options, state, emit, started, failed, pending: new Map() };
      this.#begin(client);
      this.#clients.set(client.name, client);
    });
  }

  /** The device slept, or has its network again: connections are looked at, and broken ones opened again, at once. */
  wake() {
    this.#worker?.post({ wake: true });
    wakeAll();
  }

  #begin(client) {
    if (!this.#worker) this.#open();
    this.#worker.post({ client: client.name, start: { options: client.options, state: client.state } });
  }

  #open() {
    const worker = this.#platform.spawn();
    this.#worker = worker;
    this.#opened = Date.now();
    worker.listen(
      (message) => worker === this.#worker && this.#take(message),
      (why) => worker === this.#worker && this.#stopped(why),
    );
  }

  #call(client, method, parameters) {
    if (client.fault) return Promise.reject(new DuetError(client.fault));
    return new Promise((answer, refuse) => {
      client.pending.set((this.#next += 1), { answer, refuse });
      this.#worker.post({ client: client.name, id: this.#next, method, parameters });
      this.#watch();
    });
  }

  async #destroy(client) {
    // A client that failed may be in no worker.
    if (!client.fault) await this.#call(client, "destroy", []).catch(() => {});
    this.#leave(client);
  }

  #leave({ name }) {
    this.#clients.delete(name);
    this.#worker?.post({ left: name });
    if (this.#clients.size === 0) this.#end();
  }

  #end() {
    this.#quiet();
    this.#worker?.end();
    this.#worker = undefined;
  }

  #take({ client: name, started, event, id, value, error, trapped }) {
    this.#quiet();
    const client = this.#clients.get(name);
    if (trapped) this.#stopped(trapped, true);
    else if (!client) return;
    else if (event !== undefined) {
      if (event === "state") client.state = value;
      if (event === "failed") client.fault = value;
      client.emit(event, value);
    } else if (started) {
      client.isStarted = true;
      client.started({ call: (...call) => this.#call(client, ...call), destroy: () => this.#destroy(client) });
    } else if (id === undefined) this.#failed(client, error);
    else {
      const { answer, refuse } = client.pending.get(id);
      client.pending.delete(id);
      if (error === undefined) answer(value);
      else refuse(new DuetError(error));
    }
    this.#watch();
  }

  #failed(client, fault) {
    client.fault = fault;
    if (client.isStarted) client.emit("failed", fault);
    else {
      client.failed(new DuetError(fault));
      this.#leave(client);
    }
  }

  /** A worker that owes an answer has to give a sign when it is asked for one. While no call waits, no timer runs. */
  #watch(isAsked = false) {
    if (this.#timer !== undefined || ![...this.#clients.values()].some(({ pending }) => pending.size > 0)) return;
    const { silence } = this.#times;
    this.#timer = setTimeout(() => {
      this.#quiet();
      if (isAsked) this.#stopped(`it was silent for ${2 * silence} ms`);
      else {
        this.#worker.post({});
        this.#watch(true);
      }
    }, silence);
  }

  #quiet() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The worker stopped. Its clients go on from their newest states in another one, but for those that failed before. */
  #stopped(why, isBlamed = false) {
    const isFinal = !isBlamed && Date.now() - this.#opened < this.#times.young;
    this.#end();
    const message = `the worker stopped: ${why}`;
    const fault = isFinal
      ? { verdict: "fatal", culprit: "nobody", nextStep: "stop", message }
      : { verdict: "restarted", culprit: "nobody", nextStep: "go-on", message: `${message}; this client goes on in a new one from its newest state` };
    for (const client of [...this.#clients.values()]) {
      const { pending } = client;
      client.pending = new Map();
      if (!client.fault) {
        if (isFinal) this.#failed(client, fault);
        else {
          this.#begin(client);
          client.emit("restarted", fault);
        }
      }
      for (const { refuse } of pending.values()) refuse(new DuetError(client.fault ?? fault));
    }
  }
}

/** The sessions of this thread, and why its module can be used no more. */
const sessions = new Set();
let broken;
onTrap.tell = (fault) => {
  broken = fault;
  for (const session of sessions) session.fail(fault);
};

function wakeAll() {
  for (const session of sessions) session.wake();
}

async function beside(platform, { options, state }, emit) {
  const wasm = await platform.loadWasm();
  if (broken) throw broken;
  const { openSocket, spawnCalls } = platform;
  const session = new Session({ wasm, openSocket, spawnCalls, emit, options, state });
  sessions.add(session);
  session.start();
  return {
    call: (method, parameters) => session.perform(method, parameters),
    destroy: () => {
      sessions.delete(session);
      session.destroy();
    },
  };
}

/** Serves clients in a worker: `receive` takes a callback for messages, `post` sends one. */
export function serveWorker(platform, receive, post) {
  const clients = new Map();
  let isTrapped = false;
  // What a broken module says of other clients counts no more. The one that broke it is told before the worker ends.
  const say = (message) => (!isTrapped || ["fault", "failed"].includes(message.event)) && post(message);
  onTrap.tell = ({ message: trapped }) => {
    isTrapped = true;
    setTimeout(() => post({ trapped }));
  };
  receive(async ({ client, start, left, wake, id, method, parameters }) => {
    if (client === undefined) {
      if (wake) wakeAll();
      else if (left) {
        clients.get(left)?.then((session) => session.destroy(), () => {});
        clients.delete(left);
      }
      else say({});
      return;
    }
    try {
      if (start) {
        const session = beside(platform, start, (event, value) => say({ client, event, value }));
        clients.set(client, session);
        await session;
        say({ client, started: true });
        return;
      }
      const session = await clients.get(client);
      say({ client, id, value: await (method === "destroy" ? session.destroy() : session.call(method, parameters)) });
    } catch (error) {
      say({ client, id, error: plain(error) });
    }
  });
}

/** An error for messages between threads. */
export function plain(error) {
  return error instanceof DuetError ? error.toPlain() : { verdict: "fatal", message: String(error?.message ?? error) };
}
