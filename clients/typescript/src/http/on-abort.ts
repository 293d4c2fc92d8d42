const waiting = new WeakMap<AbortSignal, Set<() => void>>();

const callAll = ({ target }: Event) => {
  for (const callback of waiting.get(target as AbortSignal) ?? []) callback();
};

/**
 * Calls back when a signal aborts. The calls of a program share one listener of their signal, because Node warns of a
 * leak when there are more than ten.
 *
 * @returns a function that ends it
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = waiting.get(signal) ?? new Set();
  waiting.set(signal, callbacks.add(callback));
  signal.addEventListener('abort', callAll);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) signal.removeEventListener('abort', callAll);
  };
}
