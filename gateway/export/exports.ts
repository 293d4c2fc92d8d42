import type { Readable } from 'node:stream';
import { Counter } from 'prom-client';
import { formatCursor } from '../../schemas/cursor.ts';
import type { ErrorBody } from '../../schemas/errors.ts';
import { escapeLineBreaks, stringifyJson } from '../../schemas/json-text.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { exportRecords } from '../../store/reads/export.ts';
import type { Sql } from '../../store/reads/json.ts';
import { PACE } from '../http/content.ts';
import { toApiError } from '../http/middleware/errors.ts';
import { FairQueue } from '../limits/fair-queue.ts';
import { LineBody, ReaderGoneError, SlowReaderError } from './line-body.ts';

/** The most exports at a time. Each holds a snapshot on its own connection. */
export const MAX_EXPORTS = 4;
const QUEUE_LIMITS = {
  atOnce: MAX_EXPORTS,
  atOnceOfAccount: 2,
  reserved: 2,
  waiting: 100,
  waitingOfAccount: 5,
};
/** The longest export, in milliseconds; slower clients are cut, since snapshots block Postgres' clean-up. */
const TOTAL_MS = 15 * 60_000;

const ended = new Counter({
  name: 'exports_total',
  help: 'Answers of JSON lines that have ended: complete, left by the client, cut because it read too slowly, or failed.',
  labelNames: ['outcome'],
});
for (const outcome of ['complete', 'left', 'slow', 'failed']) ended.inc({ outcome }, 0);

export interface ExportsOptions {
  /** Has a connection more than `MAX_EXPORTS`, for ending the statements of clients that leave. */
  pool: DatabasePool;
  clock: Clock;
  log: Logger;
  /** Aborts when the gateway begins to shut down. Waiting exports are then refused. */
  draining: AbortSignal;
}

/** The client that an export is for. */
export interface ExportClient {
  accountId: number;
  requestId: string;
  /** Aborts when the client disconnects. */
  closed: AbortSignal;
}

/** The answer of an export that has its turn. */
interface ExportAnswer extends Pick<ExportClient, 'requestId' | 'closed'> {
  body: LineBody;
  /** Called when the first line is there. */
  begun: () => void;
  /** Called with an error before the first line. */
  refuse: (error: unknown) => void;
}

/**
 * Sends all records of a query as lines of JSON from one snapshot: first the position in the stream, then the
 * records, and last their count, which shows the reader that the answer is complete.
 *
 * A client that takes the lines too slowly loses its turn, and with it the snapshot (INV-15).
 *
 * Exports read the primary: a long snapshot would delay the replay of a replica, and so the stream (decision
 * 25).
 */
export class Exports {
  readonly #options: ExportsOptions;
  readonly #queue: FairQueue;

  constructor(options: ExportsOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ ...QUEUE_LIMITS, draining: options.draining });
  }

  /**
   * Begins an export when its turn comes.
   *
   * @param select SQL of rows with the column `record`, in order
   * @returns the body of the answer
   * @throws ApiError server_busy if too many exports wait or the gateway shuts down; and the database's error
   *   if it fails before the first line
   */
  async begin(select: Sql, { accountId, requestId, closed }: ExportClient): Promise<Readable> {
    const { promise, resolve, reject } = Promise.withResolvers<Readable>();
    const work = async () => {
      const body = new LineBody({ closed, pace: PACE, totalMs: TOTAL_MS });
      const outcome = await this.#run(select, {
        body,
        requestId,
        closed,
        begun: () => resolve(body.stream),
        refuse: reject,
      });
      ended.inc({ outcome });
    };
    this.#queue.run(work, { share: accountId, gone: closed }).catch(reject);
    return promise;
  }

  /** Never rejects. @returns how the export ended */
  async #run(
    select: Sql,
    { body, requestId, closed, begun, refuse }: ExportAnswer,
  ): Promise<'complete' | 'left' | 'slow' | 'failed'> {
    const { pool, clock, log } = this.#options;
    const time = clock.now();
    let isBegun = false;
    try {
      const count = await exportRecords(pool, select, {
        closed,
        begin: (stream) => {
          isBegun = true;
          begun();
          return body.write([JSON.stringify({ stream_cursor: formatCursor({ ...stream, time }) })]);
        },
        write: (records) => body.write(records.map(escapeLineBreaks)),
      });
      await body.end(JSON.stringify({ count }));
      return 'complete';
    } catch (error) {
      // Even if the client has left: its request counts as under way until it ends.
      if (!isBegun) refuse(error);
      if (error instanceof ReaderGoneError || closed.aborted) return 'left';
      if (error instanceof SlowReaderError) {
        log.info({ requestId }, 'a client reads an export too slowly and is disconnected');
        body.cut();
        return 'slow';
      }
      if (isBegun) {
        const { code, message } = toApiError(error, log, requestId);
        const answer: ErrorBody = { error: { code, message, request_id: requestId } };
        await body.end(stringifyJson(answer)).catch(() => body.cut());
      }
      return 'failed';
    }
  }
}
