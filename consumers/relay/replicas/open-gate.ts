import { monotonicClock } from '../../../service/clock.ts';
import { nameServer } from '../../../service/database-address.ts';
import type { Logger } from '../../../service/log.ts';
import { createClient } from '../../../store/connection/client.ts';
import { WATCHFUL_SESSION, watchSession } from '../../../store/connection/session.ts';
import { ReplicaRegistry } from '../../../store/replicas/registry.ts';
import { ReplicaLink } from '../../../store/replicas/replica-link.ts';
import type { Term } from '../../leadership.ts';
import { replicaInUse } from './metrics.ts';
import { ReplicaGate } from './replica-gate.ts';

/** How often replicas are looked after while nothing is published, in milliseconds. */
const TEND_MS = 1000;

export interface GateSettings {
  databaseUrl: string;
  readDatabaseUrls?: readonly string[] | undefined;
  log: Logger;
}

/** The replicas that gateways may read from, looked after for a term of the relay's leader. */
export interface Gate {
  /**
   * To be called after changes were committed and before they are published: resolves when they may be (INV-1).
   *
   * @throws as `requireWorking` does
   */
  barrier(): Promise<void>;
  /**
   * To be called again and again, also while nothing is published: replicas that nobody looks after are out of use.
   *
   * @throws the error for which this leader can no longer look after them
   */
  requireWorking(): void;
}

/**
 * Begins to look after the replicas for a term of the relay's leader.
 *
 * @returns null if there are no replicas
 */
export async function openGate(
  { databaseUrl, readDatabaseUrls = [], log }: GateSettings,
  { client: leader, signal: leading, atEnd }: Pick<Term, 'client' | 'signal' | 'atEnd'>,
): Promise<Gate | null> {
  const { registry: first, known } = await ReplicaRegistry.begin(leader);
  if (readDatabaseUrls.length === 0 && known.length === 0) return null;
  // Not the leader's connection, which the relay may hold in a transaction.
  const client = createClient(databaseUrl, WATCHFUL_SESSION);
  const ending = new AbortController();
  const signal = AbortSignal.any([leading, ending.signal]);
  let failure: unknown;
  client.on('error', (error) => {
    failure ??= error;
    ending.abort();
  });
  atEnd(() => client.end());
  await client.connect();
  await watchSession(client);
  const links = new Map(readDatabaseUrls.map((url) => [nameServer(url), new ReplicaLink(url)]));
  for (const link of links.values()) atEnd(() => link.close());
  const registry = first.on(client);
  const gate = await ReplicaGate.open(known, { registry, links, clock: monotonicClock, signal, log });
  const tend = async () => {
    while (!signal.aborted) {
      await gate.tend();
      await monotonicClock.wait(TEND_MS, signal);
    }
  };
  const tending = tend().catch((error: unknown) => {
    failure ??= error;
  });
  atEnd(async () => {
    ending.abort();
    await tending;
    // The next leader tells.
    replicaInUse.reset();
  });
  const requireWorking = () => {
    if (failure !== undefined) throw failure;
  };
  return {
    async barrier() {
      requireWorking();
      await gate.barrier().catch((error: unknown) => {
        throw failure ?? error;
      });
    },
    requireWorking,
  };
}
