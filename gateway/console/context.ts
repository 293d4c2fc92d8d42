import type { Pool } from 'pg';
import type { Brokers } from '../../service/brokers.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import type { ApiCalls } from './api-calls.ts';

/** Everything that the pages of the console share. */
export interface ConsoleContext {
  /** For what only the console does, such as keys and people. */
  pool: Pool;
  /** The API, as the account of a session. */
  api: ApiCalls;
  brokers: Brokers;
  topicPrefix: string;
  databaseUrl: string;
  clock: Clock;
  log: Logger;
}
