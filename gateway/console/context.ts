import type { Pool } from 'pg';
import type { CatalogueFileWork } from '../../administration/catalogue/file-work.ts';
import type { Brokers } from '../../service/brokers.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import type { ApiCalls } from './api-calls.ts';
import type { MatchCounts } from './subscriptions/match-counts.ts';

/** The dependencies of the console's pages. */
export interface ConsoleContext {
  /** For the console's own work, such as keys and people. */
  pool: Pool;
  /** Calls the API as the account of a session. */
  api: ApiCalls;
  /** The number of changes in the last day that match a filter. */
  matchCounts: MatchCounts;
  /** Compares and imports uploaded catalogue files. */
  catalogueFiles: CatalogueFileWork;
  brokers: Brokers;
  topicPrefix: string;
  /** Whether people can sign in with a provider, and so be invited. */
  hasProvider: boolean;
  clock: Clock;
  /** How long publications and their outcomes are kept, in milliseconds. */
  publicationsKeptMs: number;
  /** The first date, YYYY-MM-DD, of upcoming elections. */
  findFirstUpcoming: () => string;
  log: Logger;
}
