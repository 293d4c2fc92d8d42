import type { Costs } from './costs.ts';

/** The load of clients and producers. */
export interface Load {
  streams: number;
  changesPerSecond: number;
  /** The share of changes that a stream's filter passes, from 0 to 1. */
  match: number;
  readsPerSecond: number;
  /** The share of reads with a kept answer, from 0 to 1. */
  kept: number;
  /** The share of streams whose plan limits streams, so that their leases are renewed. */
  leased: number;
  /** Whether clients accept gzip. */
  gzip: boolean;
}

/** How full a core may be on average, so that peaks fit. */
const TARGET = 0.6;
/** The share of every second in which the head may be locked. */
const LOCK_TARGET = 0.7;
const GIGABIT = 1e9 / 8;
const CORES_OF_A_DATABASE = 16;

export interface Plan {
  /** Writes to sockets and delivered events in a second, over all streams. */
  writesPerSecond: number;
  deliveriesPerSecond: number;
  gatewayProcesses: number;
  streamsEach: number;
  gatewayMemoryGib: number;
  /** Cores of Postgres for reads, and the number of replicas with 16 cores. */
  readCores: number;
  replicas: number;
  /** Cores of the primary for changes and leases. */
  primaryCores: number;
  postgresConnections: number;
  brokerCores: number;
  /** Gigabits a second. */
  toClients: number;
  fromBrokers: number;
  /** The load of each single part, the busiest first. Above 1 the load does not fit. */
  bottlenecks: { part: string; used: number }[];
}

/**
 * Plans the service for a load. Times are processor time; indivisible parts are listed as bottlenecks.
 *
 * @throws RangeError if the changes alone fill a gateway's core, so that no number of gateways serves a stream
 */
export function plan(load: Load, costs: Costs): Plan {
  const { streams, changesPerSecond, match, readsPerSecond, kept, leased } = load;
  const { change, write, stream, read, gateway } = costs;
  const seconds = (perSecond: number, us: number) => (perSecond * us) / 1e6;

  const turns = Math.min(changesPerSecond, write.turnsPerSecond);
  const changesEach = turns === 0 ? 0 : changesPerSecond / turns;
  const writesOfStream = turns * (1 - (1 - match) ** changesEach);
  const deliveriesPerSecond = streams * changesPerSecond * match;
  const heartbeats = streams / stream.heartbeatSeconds;
  const writesPerSecond = streams * writesOfStream + heartbeats;
  const eventBytes = load.gzip ? change.gzipBytes : change.eventBytes;

  const gatewayFixed = seconds(changesPerSecond, change.gatewayUs);
  if (gatewayFixed >= TARGET) {
    throw new RangeError(`${changesPerSecond} changes a second alone fill a gateway's core.`);
  }
  const gatewayCores =
    seconds(writesPerSecond, write.baseUs) +
    seconds((deliveriesPerSecond * eventBytes) / 1024, write.kilobyteUs) +
    seconds(readsPerSecond * kept, read.keptUs) +
    seconds(readsPerSecond * (1 - kept), read.anewUs);
  const gatewayProcesses = Math.max(2, Math.ceil(gatewayCores / (TARGET - gatewayFixed)));
  const streamsEach = Math.ceil(streams / gatewayProcesses);

  const readCores = seconds(readsPerSecond * (1 - kept), read.postgresUs);
  const leases = (streams * leased) / stream.leaseSeconds;
  const primaryCores = seconds(changesPerSecond, change.writerUs) + seconds(leases, stream.leaseUs);
  const fromBrokers = gatewayProcesses * changesPerSecond * change.recordBytes;

  return {
    writesPerSecond,
    deliveriesPerSecond,
    gatewayProcesses,
    streamsEach,
    gatewayMemoryGib:
      (gateway.memoryMib * gatewayProcesses) / 1024 + (streams * stream.memoryKib) / 1024 ** 2,
    readCores,
    replicas: Math.ceil(readCores / (TARGET * CORES_OF_A_DATABASE)),
    primaryCores,
    postgresConnections: gatewayProcesses * gateway.connections,
    brokerCores: seconds(changesPerSecond, change.brokerUs),
    toClients: (deliveriesPerSecond * eventBytes + readsPerSecond * read.bytes) / GIGABIT,
    fromBrokers: fromBrokers / GIGABIT,
    bottlenecks: [
      {
        part: 'the lock on the head of the stream',
        used: seconds(changesPerSecond, change.lockUs) / LOCK_TARGET,
      },
      { part: 'the process that applies', used: seconds(changesPerSecond, change.applyUs) / TARGET },
      { part: 'the process that relays', used: seconds(changesPerSecond, change.relayUs) / TARGET },
      { part: 'the decoding of changes in every gateway', used: gatewayFixed / TARGET },
      {
        part: 'the renewal of leases, on one core of the primary',
        used: seconds(leases, stream.leaseUs) / TARGET,
      },
      { part: 'connections to the primary, of 5,000', used: (gatewayProcesses * gateway.connections) / 5000 },
    ].sort((a, b) => b.used - a.used),
  };
}
