import type { Feed } from '../feed/feed.ts';
import type { Clock } from '../service/clock.ts';
import type { Logger } from '../service/log.ts';
import type { DatabasePool } from '../store/connection/read-pool.ts';
import type { DataState } from '../store/reads/data-watch.ts';
import type { CoverageMemory } from './answers/kept-coverage.ts';
import type { ResponseCache } from './answers/response-cache.ts';
import type { BallotMemory } from './ballots/ballot-memory.ts';
import type { GatewayConfig } from './config.ts';
import type { AccessWatch } from './delivery/access-watch.ts';
import type { OpenStreams } from './delivery/open-streams.ts';
import type { VanishedClients } from './delivery/vanished-clients.ts';
import type { Exports } from './export/exports.ts';
import type { FairQueue } from './limits/fair-queue.ts';
import type { StreamLeases } from './limits/stream-leases.ts';
import type { Publishing } from './publishing/publishing.ts';
import type { ReadReplicas } from './replicas/read-replicas.ts';

/** Everything that the routes of a gateway share. Only routes receive it; lower layers take single values. */
export interface GatewayContext {
  config: GatewayConfig;
  /** The database of the request: the primary, or a replica for answers that all accounts share. */
  pool: DatabasePool;
  /** Tells how far the data of `pool` was when the request came, or later. */
  loadState: () => Promise<DataState>;
  /** Whether `pool` leads to a replica. */
  isReplica: boolean;
  replicas: Pick<ReadReplicas, 'read'>;
  feed: Feed;
  streamLeases: StreamLeases;
  accessWatch: AccessWatch;
  openStreams: OpenStreams;
  vanishedClients: Pick<VanishedClients, 'add'>;
  responseCache: ResponseCache;
  ballots: BallotMemory;
  coverage: CoverageMemory;
  /** The turns of other answers that all accounts share. */
  reads: FairQueue;
  /** The turns of recommendations for many contests. */
  largeAnswers: FairQueue;
  /** The turns of digests, which wait for no recommendation. */
  digests: FairQueue;
  /** The turns of parsing large bodies. */
  bodies: FairQueue;
  /** Sends whole lists as lines of JSON. */
  exports: Pick<Exports, 'begin'>;
  publishing: Pick<Publishing, 'turns' | 'producer' | 'outcomesOf' | 'untilApplied'>;
  clock: Clock;
  log: Logger;
  /** Aborts when the gateway begins to shut down. Long polls then answer immediately. */
  draining: AbortSignal;
}
