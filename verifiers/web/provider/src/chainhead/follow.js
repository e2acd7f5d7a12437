// One `chainHead_v1_follow`: the events of the proven chain, the pinned blocks, and the operations.

import { specAt } from "../answers/calls.js";
import { rowOf } from "../methods.js";

// The most pinned blocks and waiting blocks. Beyond that the subscription stops, as its specification allows.
const MAX_PINNED = 512;
const MAX_WAITING = 256;
const MAX_OPERATIONS = 16;

export class Follow {
  #context;
  #push;
  #withRuntime;
  #pinned = new Map();
  #operations = new Map();
  #nextOperation = 1;
  #waiting = [];
  #telling = false;
  #off;
  ended = false;

  constructor(context, withRuntime, push) {
    this.#context = context;
    this.#withRuntime = withRuntime;
    this.#push = push;
  }

  /** Reports the newest proven block, and then each new one. */
  async start() {
    const { chain } = this.#context;
    this.#off = chain.listen((grown) => this.#grew(grown));
    this.#telling = true;
    const head = await chain.head();
    this.#pin(head);
    const event = { event: "initialized", finalizedBlockHashes: [head.hash] };
    if (this.#withRuntime) event.finalizedBlockRuntime = await this.#runtime(head.hash);
    this.#tell(event, head);
    this.#tell({ event: "bestBlockChanged", bestBlockHash: head.hash }, head);
    // Blocks from before the first reported block are part of it.
    this.#waiting = this.#waiting.filter(({ number }) => number > head.number);
    await this.#tellWaiting();
  }

  /** Ends the subscription without an event. */
  end() {
    this.ended = true;
    this.#off?.();
    for (const operation of this.#operations.values()) operation.stop();
    this.#operations.clear();
    this.#pinned.clear();
  }

  /** The pinned block with this hash: `{ number, hash, header }`. */
  block(hash) {
    return this.#pinned.get(hash);
  }

  /** Unpins blocks. Returns false, and unpins none, if one of them is not pinned. */
  unpin(hashes) {
    if (!hashes.every((hash) => this.#pinned.has(hash))) return false;
    for (const hash of hashes) this.#pinned.delete(hash);
    return true;
  }

  /** Starts an operation, which reports by events. Returns its id, or `undefined` if there are too many. */
  begin(method, run) {
    if (this.#operations.size >= MAX_OPERATIONS) return undefined;
    const operationId = `operation-${this.#nextOperation++}`;
    const operation = { stopped: false, stop: () => undefined, resume: () => undefined };
    operation.stop = () => {
      operation.stopped = true;
      operation.resume();
    };
    operation.tell = (event, about) => {
      if (!operation.stopped) this.#tell({ ...event, operationId }, { isSilent: about === undefined, method, ...about });
    };
    operation.paused = () => {
      operation.tell({ event: "operationWaitingForContinue" });
      return new Promise((resolve) => (operation.resume = resolve));
    };
    this.#operations.set(operationId, operation);
    // The answer with the id is sent first.
    setTimeout(() => this.#run(run, operation, operationId), 0);
    return operationId;
  }

  /** Continues a waiting operation. */
  continue(operationId) {
    this.#operations.get(operationId)?.resume();
  }

  /** Stops an operation. */
  stopOperation(operationId) {
    this.#operations.get(operationId)?.stop();
    this.#operations.delete(operationId);
  }

  async #run(run, operation, operationId) {
    try {
      if (!operation.stopped) await run(operation);
    } catch (thrown) {
      const error = this.#context.failed(thrown);
      operation.tell({ event: "operationError", error: error.message });
    } finally {
      this.#operations.delete(operationId);
    }
  }

  #grew({ blocks, gap }) {
    if (this.ended) return;
    // The blocks in between are unknown, so the events could not be in order.
    if (gap || this.#waiting.length + blocks.length > MAX_WAITING) {
      this.#stop();
      return;
    }
    this.#waiting.push(...blocks);
    if (!this.#telling) this.#tellWaiting();
  }

  async #tellWaiting() {
    this.#telling = true;
    while (this.#waiting.length > 0 && !this.ended) await this.#tellBlocks(this.#waiting.splice(0));
    this.#telling = false;
  }

  async #tellBlocks(blocks) {
    if (this.#pinned.size + blocks.length > MAX_PINNED) {
      this.#stop();
      return;
    }
    for (const block of blocks) {
      const newRuntime = this.#withRuntime && block.changesRuntime ? await this.#runtime(block.hash) : null;
      this.#pin(block);
      this.#tell({ event: "newBlock", blockHash: block.hash, parentBlockHash: block.parentHash, newRuntime }, block);
    }
    const last = blocks.at(-1);
    this.#tell({ event: "bestBlockChanged", bestBlockHash: last.hash }, last);
    this.#tell({ event: "finalized", finalizedBlockHashes: blocks.map(({ hash }) => hash), prunedBlockHashes: [] }, last);
  }

  #pin({ number, hash, header }) {
    this.#pinned.set(hash, { number, hash, header });
  }

  #stop() {
    this.#tell({ event: "stop" }, { isSilent: true });
    this.end();
  }

  #tell(event, { number, hash, block = number, ...about } = {}) {
    if (!this.ended) this.#push(event, { block, hash, ...about });
  }

  async #runtime(hash) {
    const method = "state_getRuntimeVersion";
    try {
      const { spec, ...about } = await specAt(this.#context, rowOf(method), hash);
      this.#context.tell({ method, ...about });
      return spec ? { type: "valid", spec } : { type: "invalid", error: "the version has another form" };
    } catch (thrown) {
      return { type: "invalid", error: this.#context.failed(thrown).message };
    }
  }
}
