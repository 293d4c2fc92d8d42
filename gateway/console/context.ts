import type { Pool } from 'pg';
import type { Brokers } from '../../service/brokers.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import type { ApiCalls } from './api-calls.ts';
import type { MatchCounts } from './subscriptions/match-counts.ts';

/** Everything that the pages of the console share. */
export interface ConsoleContext {
  /** For what only the console does, such as keys and people. */
  pool: Pool;
  /** The API, as the account of a session. */
  api: ApiCalls;
  /** How many changes of the last day pass filters. */
  matchCounts: MatchCounts;
  brokers: Brokers;
  topicPrefix: string;
  /** Whether people can sign in with a provider, and so be invited. */
  hasProvider: boolean;
  clock: Clock;
  log: Logger;
}
