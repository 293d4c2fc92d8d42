import { onAbort } from '../http/on-abort.ts';

/** Runs tasks one after another, in the order of their arrival. */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs a task after all earlier ones. The signal ends only the wait, not the task.
   *
   * @returns the task's result
   * @throws the signal's reason as soon as it aborts, if the task has not begun; the task then never begins
   */
  take<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      let leave: (() => void) | undefined;
      const giveUp = () => reject(signal.reason);
      const turn = this.#last.then(() => {
        leave?.();
        signal.throwIfAborted();
        return task();
      });
      this.#last = turn.catch(() => {});
      turn.then(resolve, reject);
      if (signal.aborted) giveUp();
      else leave = onAbort(signal, giveUp);
    });
  }
}
