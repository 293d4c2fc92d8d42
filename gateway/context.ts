import type { Clock } from '../service/clock.ts';
import type { Logger } from '../service/log.ts';
import type { DatabasePool } from '../store/pool.ts';
import type { Access } from './access.ts';
import type { AnswerMemory } from './answers/answer-memory.ts';
import type { GatewayConfig } from './config.ts';
import type { Feed } from './feed/feed.ts';
import type { Turns } from './recommendations/turns.ts';

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
  logger: Logger;
  /** Given when the gateway begins to shut down: long polls answer. */
  draining: AbortSignal;
}
