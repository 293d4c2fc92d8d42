import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { type Actor, recordAudit } from '../../store/accounts/audit-log.ts';
import { createClient, endClient } from '../../store/connection/client.ts';
import { PATIENT_SESSION, watchSession } from '../../store/connection/session.ts';
import { LOCK_NOT_AVAILABLE, sqlStateOf } from '../../store/connection/sql-state.ts';
import {
  beginCatalogueWork,
  type CatalogueWork,
  endCatalogueWork,
  findCatalogueFile,
  markImported,
} from '../../store/console/catalogue-files.ts';
import { compareFile, type FileOutcome, importFile, type LoadedFile } from './uploaded-file.ts';

/** The longest wait for the lock of another edit of the catalogue. */
const LOCK_TIMEOUT = '60s';
/** The longest wait for an answer of Postgres, in milliseconds: far more than a statement about 4 MB of records takes. */
const ANSWER_MS = 300_000;

/** The order of a person. An import names the outcome that they have seen, and the removals that they agree to. */
export type Order =
  | { work: 'compare' }
  | { work: 'import'; seen: string; consent: number | null; actor: Actor };

/**
 * Compares and imports uploaded catalogue files, one at a time in a process, on a connection of its own. The work continues
 * when the request that has begun it is answered, and its result is stored with the file.
 */
export class CatalogueFileWork implements Stoppable {
  readonly #databaseUrl: string;
  readonly #log: Logger;
  readonly #answerMs: number;
  #running: Promise<void> | null = null;
  #client: pg.Client | null = null;
  #isStopping = false;

  /** @param answerMs for tests */
  constructor(databaseUrl: string, log: Logger, answerMs = ANSWER_MS) {
    this.#databaseUrl = databaseUrl;
    this.#log = log;
    this.#answerMs = answerMs;
  }

  /** Begins to work on a file. @returns false if this process works on another one */
  async start(id: number, order: Order): Promise<boolean> {
    if (this.#running !== null || this.#isStopping) return false;
    const begun = Promise.withResolvers<void>();
    this.#running = this.#work(id, order, begun.resolve)
      .catch((error: unknown) => {
        const message = 'an uploaded catalogue file cannot be compared or imported';
        reportFailure(this.#log, error, { where: 'console', message, fields: { file: id } });
      })
      .finally(() => {
        begun.resolve();
        this.#running = null;
        this.#client = null;
      });
    await begun.promise;
    return true;
  }

  /** Waits until the work has ended, but not longer than this. */
  async wait(ms: number): Promise<void> {
    await Promise.race([this.#running, sleep(ms, undefined, { ref: false })]);
  }

  /** Ends the work: an import that is not committed is rolled back, and consumers continue the announcements of others. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const running = this.#running;
    if (this.#client) await endClient(this.#client);
    await running;
  }

  async #work(id: number, order: Order, onBegun: () => void): Promise<void> {
    const client = createClient(this.#databaseUrl, {
      ...PATIENT_SESSION,
      query_timeout: this.#answerMs,
      application_name: 'catalogue-file',
    });
    this.#client = client;
    // A lost connection also fails the waiting query.
    client.on('error', () => {});
    try {
      await client.connect();
      await watchSession(client);
      await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
      const file = await beginCatalogueWork(client, id, order.work);
      onBegun();
      if (file === null) return;
      await this.#doWork(client, { id, file, order }).catch((error: unknown) =>
        this.#noteFailure(client, id, order.work, error),
      );
    } finally {
      await endClient(client).catch(() => {});
    }
  }

  async #doWork(
    client: pg.Client,
    { id, file, order }: { id: number; file: LoadedFile; order: Order },
  ): Promise<void> {
    if (order.work === 'compare') {
      return endCatalogueWork(client, id, { outcome: await compareFile(client, file) });
    }
    const accept = async () => {
      if (!(await markImported(client, id))) return false;
      await recordAudit(client, order.actor, {
        action: 'catalogue.imported',
        subject: `catalogue file ${file.fileName}`,
        details: { id, bytes: file.content.length, consent: order.consent },
      });
      return true;
    };
    const announced = await importFile(client, file, { ...order, accept });
    if (announced !== null) {
      const stored = await findCatalogueFile<FileOutcome>(client, id);
      return endCatalogueWork(client, id, { outcome: stored?.outcome && { ...stored.outcome, announced } });
    }
    await endCatalogueWork(client, id, {
      outcome: await compareFile(client, file),
      problem:
        'The catalogue has changed since the preview, so nothing was imported. This is the new preview.',
    });
  }

  /** Notes with the file why its work has failed. @throws the failure, unless the person can mend it */
  async #noteFailure(client: pg.Client, id: number, work: CatalogueWork, error: unknown): Promise<void> {
    if (error instanceof OperatorError) return endCatalogueWork(client, id, { problem: error.message });
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) {
      const problem = 'Another edit of the catalogue is under way: try again when it is done.';
      return endCatalogueWork(client, id, { problem });
    }
    const verb = work === 'import' ? 'imported' : 'compared';
    const problem = `The file could not be ${verb}, because the service has failed: try again.`;
    await endCatalogueWork(client, id, { problem }).catch(() => {});
    throw error;
  }
}
