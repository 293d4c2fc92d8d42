import { randomUUID } from 'node:crypto';
import { signMessage } from '../../schemas/webhook-signature.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { type Seal, SealBrokenError } from '../../service/sealing.ts';
import { sealPurpose } from '../../service/webhook-settings.ts';
import type { RecordedAttempt } from '../../store/webhooks/deliveries.ts';
import type { LoadedWebhook } from '../../store/webhooks/leases.ts';
import { observeAttempt } from './metrics.ts';
import type { Attempt, Sender } from './send.ts';

/** A message, as every attempt sends it. */
export interface Message {
  messageId: string;
  body: Buffer;
  /** The number of its events; 0 for a test. */
  events: number;
}

/** An attempt that was made, to be recorded. */
export type MadeAttempt = Omit<RecordedAttempt, 'id' | 'revision' | 'after'> & Pick<Attempt, 'retryAfterMs'>;

export interface AttemptMakerOptions {
  sender: Sender;
  seal: Seal;
  /** Resolves when the process holds its webhooks for as long as an attempt can take. Rejects if the signal aborts. */
  untilLeased: (signal: AbortSignal) => Promise<void>;
  clock: Clock;
  log: Logger;
}

/** Makes attempts to deliver messages: signs and sends them, and measures. */
export class AttemptMaker {
  readonly #options: AttemptMakerOptions;

  constructor(options: AttemptMakerOptions) {
    this.#options = options;
  }

  /** Makes an attempt. @throws the signal's reason if it aborts */
  async make(webhook: LoadedWebhook, message: Message, signal: AbortSignal): Promise<MadeAttempt> {
    const { untilLeased, clock } = this.#options;
    await untilLeased(signal);
    const attemptedAt = clock.now();
    const begunAt = performance.now();
    const attempt = await this.#send(webhook, message, signal);
    const durationMs = Math.round(performance.now() - begunAt);
    const { messageId, body, events } = message;
    const isTest = events === 0;
    observeAttempt({ outcome: attempt.outcome, isTest, durationMs, events });
    return {
      attemptId: randomUUID(),
      messageId,
      isTest,
      attemptedAt,
      durationMs,
      events,
      bytes: body.length,
      ...attempt,
    };
  }

  async #send(webhook: LoadedWebhook, { messageId, body }: Message, signal: AbortSignal): Promise<Attempt> {
    const { sender, clock, log } = this.#options;
    try {
      const timestamp = Math.floor(clock.now() / 1000);
      const headers = signMessage({ id: messageId, timestamp, body }, this.#openSecrets(webhook));
      return await sender.send({ url: webhook.url, headers, body, signal });
    } catch (error) {
      if (!(error instanceof SealBrokenError)) throw error;
      log.error({ error, webhook: webhook.id }, 'a message cannot be signed');
      return { outcome: 'not_signed', status: null, retryAfterMs: null, answer: '' };
    }
  }

  /** The secrets that sign now: the present one first. @throws SealBrokenError if the present one cannot be opened */
  #openSecrets({ accountId, secret, previousSecret, previousSecretUntil }: LoadedWebhook): string[] {
    const { seal, clock } = this.#options;
    const secrets = [seal.open(secret, sealPurpose(accountId))];
    if (previousSecret === null || (previousSecretUntil ?? 0) <= clock.now()) return secrets;
    try {
      secrets.push(seal.open(previousSecret, sealPurpose(accountId)));
    } catch (error) {
      // The secret was rotated because the key that had sealed the previous one is lost.
      if (!(error instanceof SealBrokenError)) throw error;
    }
    return secrets;
  }
}
