// Who is called back when something happens.

export class Listeners {
  #listeners = new Map();

  /** Calls back on a name; the answer ends that. */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  tell(name, value) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(value);
  }
}
