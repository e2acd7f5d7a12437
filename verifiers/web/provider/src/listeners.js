// Listeners for named events.

export class Listeners {
  #listeners = new Map();

  /** Adds a listener for a name. The returned function removes it. */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  tell(name, value) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(value);
  }
}
