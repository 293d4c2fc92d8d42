import type { Clock } from '../service/clock.ts';
import type { Logger } from '../service/log.ts';
import type { DatabasePool } from '../store/connection/read-pool.ts';
import type { AnswerMemory } from './answers/answer-memory.ts';
import type { Turns } from './answers/turns.ts';
import type { Access } from './auth/access.ts';
import type { GatewayConfig } from './config.ts';
import type { Feed } from './feed/feed.ts';

/** What the routes of a gateway share. */
export interface GatewayContext {
  config: GatewayConfig;
  pool: DatabasePool;
  feed: Feed;
  access: Access;
  answers: AnswerMemory;
  /** Who makes a large answer waits for one of these. */
  largeAnswers: Turns;
  clock: Clock;
  log: Logger;
  /** Given when the gateway begins to shut down: long polls answer. */
  draining: AbortSignal;
}
