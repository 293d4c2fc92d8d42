/*
 * One leader among several processes, by an advisory lock on a separate Postgres connection. The leader also
 * works on that connection, so its lock and its transactions end together: after losing the lock, it can commit nothing
 * there. Work on other connections must be harmless if it is repeated.
 *
 * A second lock shows that the leader has succeeded at its work. A stand-by counts as ready only while this
 * lock is held. Otherwise, if all processes fail in turn, each would be leader for a moment and seem ready.
 */
import type pg from 'pg';
import { systemClock } from '../service/clock.ts';
import { LastSuccess } from '../service/last-success.ts';
import type { Service } from '../service/lifecycle.ts';
import type { Logger } from '../service/log.ts';
import { OperatorError } from '../service/operator-error.ts';
import { type FailurePlace, reportFailure } from '../service/report-failure.ts';
import { createClient, endClient } from '../store/connection/client.ts';
import { WATCHFUL_SESSION, watchSession } from '../store/connection/session.ts';

/** The interval between a stand-by's attempts to take the lock, in milliseconds. */
const STANDBY_POLL_MS = 1000;
/** The pause after a failure, in milliseconds. */
const RETRY_MS = 500;
/** The pause after a refusal that only an operator can end, in milliseconds. */
const REFUSED_RETRY_MS = 5000;
/** How long a leader that must stop may use its clients of Kafka, in milliseconds: long enough for a send under way. */
const LAST_REQUESTS_MS = 5000;
/** A process without a success for this long is not ready, in milliseconds. */
const STUCK_MS = 10_000;

/** The leader's connection, and its ways to report. */
export interface Term {
  client: pg.Client;
  /** Aborted when the leader must stop: the process stops, or the connection is lost. */
  signal: AbortSignal;
  /** Call this after every success, including an idle round. The first call shows that this leader works. */
  succeeded(): Promise<void>;
  /**
   * Registers a clean-up at the end of the term. It runs while the connection closes, to release the lock at once. If the
   * signal has aborted and the term does not end within seconds, it runs before: a silent broker answers no request, and
   * the requests of a closed client fail.
   */
  atEnd(cleanUp: () => Promise<unknown>): void;
}

export interface LeadershipOptions {
  /** The name of the work in the log. */
  name: string;
  /** The place under which its defects are counted. */
  where: FailurePlace;
  /** Must point to Postgres itself, not to a pooler: locks and notifications belong to a connection. */
  databaseUrl: string;
  /** Advisory locks: of the leader, and of a leader that has succeeded. */
  locks: { leader: number; working: number };
  /**
   * Checks that this process can lead: before it stands by, so that wrong settings show before a take-over needs them, and
   * before it leads. A failure ends the term.
   */
  verify(term: Pick<Term, 'client' | 'signal'>): Promise<void>;
  /** Does the leader's work until the signal aborts. A failure ends the term; another begins after a pause. */
  lead(term: Term): Promise<void>;
  /** Called when this process becomes the leader, and when it stops leading. */
  onLead(leads: boolean): void;
  log: Logger;
}

/** Work for one of several processes. */
export interface Leadership extends Service {
  /** Whether this process is the leader, and has succeeded at its work. */
  leads(): boolean;
  /** The reason why it is not ready, in a sentence; null if it is. */
  findObstacle(): string | null;
}

interface State {
  success: LastSuccess;
  leads: boolean;
  /** The reason for a refusal that only an operator can end; null otherwise. */
  refusal: string | null;
  /** Whether the last term failed, with no success since. */
  isFailing: boolean;
}

function noteSuccess(state: State): void {
  state.success.note();
  state.refusal = null;
  state.isFailing = false;
}

/** Does the work whenever this process is the leader, and stands by otherwise. */
export function startLeadership(options: LeadershipOptions): Leadership {
  const stopping = new AbortController();
  const state: State = { success: new LastSuccess(), leads: false, refusal: null, isFailing: false };
  const done = serveTerms(options, state, stopping.signal);
  const findObstacle = () => {
    if (stopping.signal.aborted) return 'The process is stopping.';
    if (state.success.isWithin(STUCK_MS)) return null;
    return state.refusal ?? `There was no success of ${options.name} in the last ${STUCK_MS / 1000} seconds.`;
  };
  return {
    isReady: () => findObstacle() === null,
    leads: () => state.leads,
    findObstacle,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

async function serveTerms(options: LeadershipOptions, state: State, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    let pauseMs = RETRY_MS;
    try {
      await serveTerm(options, state, stopping);
    } catch (error) {
      state.success.forget();
      state.refusal = error instanceof OperatorError ? error.message : null;
      if (error instanceof OperatorError) {
        options.log.error(`${options.name} refuses to work: ${error.message}`);
        pauseMs = REFUSED_RETRY_MS;
      } else if (!stopping.aborted) {
        const message = `${options.name} was interrupted; starting again`;
        reportFailure(options.log, error, { where: options.where, message, quiet: state.isFailing });
      }
      state.isFailing = true;
    }
    state.leads = false;
    options.onLead(false);
    await systemClock.wait(pauseMs, stopping);
  }
}

/** Serves one connection: stands by until the lock is free, then leads until a failure. */
async function serveTerm(options: LeadershipOptions, state: State, stopping: AbortSignal): Promise<void> {
  const { databaseUrl, locks, verify, lead, onLead, name, log } = options;
  // Sends statements without waiting for the answers of earlier ones.
  const client = createClient(databaseUrl, { ...WATCHFUL_SESSION, pipeline: true });
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  const cleanUps: (() => Promise<unknown>)[] = [];
  const cleanUpAll = () => Promise.allSettled(cleanUps.map((cleanUp) => cleanUp()));
  const signal = AbortSignal.any([stopping, lost.signal]);
  let patience: NodeJS.Timeout | undefined;
  const endSoon = () => {
    patience = setTimeout(cleanUpAll, LAST_REQUESTS_MS);
  };
  signal.addEventListener('abort', endSoon);
  try {
    await client.connect();
    await watchSession(client);
    if (!(await waitForLead(client, options, state, signal))) return;
    // From here on, readiness depends on this process's own work, which has not begun.
    state.success.forget();
    await verify({ client, signal });
    let isWorking = false;
    const succeeded = async () => {
      noteSuccess(state);
      if (isWorking) return;
      isWorking = true;
      await client.query('SELECT pg_advisory_lock($1)', [locks.working]);
      log.info(`leading ${name}`);
      state.leads = true;
      onLead(true);
    };
    await lead({ client, signal, succeeded, atEnd: (cleanUp) => cleanUps.push(cleanUp) });
  } finally {
    // After a lost connection these fail too, and the error that ended the term says more.
    await Promise.allSettled([endClient(client), cleanUpAll()]);
    signal.removeEventListener('abort', endSoon);
    clearTimeout(patience);
  }
}

async function waitForLead(
  client: pg.Client,
  { locks: { leader, working }, verify }: LeadershipOptions,
  state: State,
  signal: AbortSignal,
): Promise<boolean> {
  let isVerified = false;
  while (!signal.aborted) {
    const { rows } = await client.query<{ leads: boolean; otherWorks: boolean }>(
      `SELECT pg_try_advisory_lock($1) AS leads, NOT pg_try_advisory_xact_lock_shared($2) AS "otherWorks"`,
      [leader, working],
    );
    if (rows[0]?.leads) return true;
    if (!isVerified) await verify({ client, signal });
    isVerified = true;
    if (rows[0]?.otherWorks) noteSuccess(state);
    await systemClock.wait(STANDBY_POLL_MS, signal);
  }
  return false;
}
