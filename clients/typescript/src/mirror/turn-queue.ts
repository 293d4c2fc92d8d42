/** Lets tasks run one after another, in the order in which they came. */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task when those before it have ended. @returns its result */
  take<Value>(task: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
