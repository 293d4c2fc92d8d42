import { monotonicClock } from '../../../service/clock.ts';
import { nameServer } from '../../../service/database-address.ts';
import type { Logger } from '../../../service/log.ts';
import { createClient, endClient } from '../../../store/connection/client.ts';
import { WATCHFUL_SESSION, watchSession } from '../../../store/connection/session.ts';
import { ReplicaRegistry } from '../../../store/replicas/registry.ts';
import { ReplicaLink } from '../../../store/replicas/replica-link.ts';
import type { Term } from '../../leadership.ts';
import { replicaInUse, replicaLag } from './metrics.ts';
import { ReplicaGate } from './replica-gate.ts';

/** The interval of checks of replicas while nothing is published, in milliseconds. */
const TEND_MS = 1000;

export interface GateSettings {
  databaseUrl: string;
  readDatabaseUrls?: readonly string[] | undefined;
  log: Logger;
}

/** Manages the replicas that gateways may read from, for a term of the relay's leader. */
export interface Gate {
  /**
   * Call this after a commit and before publishing its changes: resolves when they may be published (INV-1).
   *
   * @throws as `requireWorking` does
   */
  barrier(): Promise<void>;
  /**
   * Call this regularly, even while nothing is published: without checks, replicas go out of use.
   *
   * @throws the error that stopped the checks of this leader
   */
  requireWorking(): void;
}

/** Begins to manage the replicas for a term of the relay's leader. @returns null if there are no replicas */
export async function openGate(
  { databaseUrl, readDatabaseUrls = [], log }: GateSettings,
  { client: leader, signal: leading, atEnd }: Pick<Term, 'client' | 'signal' | 'atEnd'>,
): Promise<Gate | null> {
  const { registry: first, known } = await ReplicaRegistry.begin(leader);
  if (readDatabaseUrls.length === 0 && known.length === 0) return null;
  // Not the leader's connection, because the relay may hold that in a transaction.
  const client = createClient(databaseUrl, WATCHFUL_SESSION);
  const ending = new AbortController();
  const signal = AbortSignal.any([leading, ending.signal]);
  let failure: unknown;
  client.on('error', (error) => {
    failure ??= error;
    ending.abort();
  });
  atEnd(() => endClient(client));
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
    // The next leader reports these metrics.
    replicaInUse.reset();
    replicaLag.reset();
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
