import { ApiError } from '../http/api-error.ts';
import type { Credential } from '../http/caller.ts';
import type { StreamEnding } from './stream-ending.ts';

/** The most streams of an account's sessions on a gateway. */
const MAX_OF_ACCOUNT = 50;
const RETRY_AFTER_SECONDS = 10;

type SessionCredential = Extract<Credential, { session: number }>;

interface SessionStream {
  accountId: number;
  end(ending: StreamEnding): void;
}

/**
 * The streams of console sessions: one for each session and gateway. They need no place among the open streams of the
 * account's plan, so that a page does not take a program's place (INV-15).
 */
export class SessionStreams {
  /** By session id. */
  readonly #streams = new Map<number, SessionStream>();

  /** @throws ApiError too_many_streams if other sessions of the account have as many streams as they may */
  requirePlace({ session, accountId }: SessionCredential): void {
    if (this.#streams.has(session)) return;
    const ofAccount = [...this.#streams.values()].filter((other) => other.accountId === accountId).length;
    if (ofAccount < MAX_OF_ACCOUNT) return;
    throw new ApiError(
      'too_many_streams',
      `People of the account watch ${ofAccount} streams in the console already; close one, or ask again later.`,
      { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    );
  }

  /** Ends the stream that the session had, and remembers the new one. @returns forgets it */
  enter({ session, accountId }: SessionCredential, stream: Pick<SessionStream, 'end'>): () => void {
    this.#streams.get(session)?.end({
      error: 'too_many_streams',
      message:
        'A session watches one stream at a time, and it has opened another. Open the page again to watch here.',
    });
    const entered: SessionStream = { accountId, end: (ending) => stream.end(ending) };
    this.#streams.set(session, entered);
    return () => {
      if (this.#streams.get(session) === entered) this.#streams.delete(session);
    };
  }
}
