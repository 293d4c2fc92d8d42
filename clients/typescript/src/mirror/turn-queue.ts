/** Lets tasks run one after another, in the order in which they came. */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs a task when those before it have ended. The signal ends the wait alone, not the task.
   *
   * @returns the task's result
   * @throws the signal's reason, as soon as it aborts, if the task has not begun; the task never begins then
   */
  take<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      const turn = this.#last.then(() => {
        signal.removeEventListener('abort', giveUp);
        signal.throwIfAborted();
        return task();
      });
      this.#last = turn.catch(() => {});
      turn.then(resolve, reject);
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp);
    });
  }
}
