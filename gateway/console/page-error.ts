/** A refused request, or a missing record. The person sees the message. */
export class PageError extends Error {
  override name = 'PageError';
  /** The HTTP status of the answer. */
  readonly status: 400 | 403 | 404 | 409 | 413 | 429;

  constructor(status: PageError['status'], message: string) {
    super(message);
    this.status = status;
  }
}
