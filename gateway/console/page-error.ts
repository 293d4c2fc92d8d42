/** A request that a page refuses, or a record that it cannot find. The message is for the person who sees it. */
export class PageError extends Error {
  override name = 'PageError';
  /** The HTTP status of the answer. */
  readonly status: 400 | 403 | 404 | 409 | 413 | 429;

  constructor(status: PageError['status'], message: string) {
    super(message);
    this.status = status;
  }
}
