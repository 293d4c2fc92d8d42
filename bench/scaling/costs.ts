/** The cost of each unit of work, on one core of the machine that it was measured on. */
export interface Costs {
  change: {
    /** Microseconds in the consumer that applies, and in its session of Postgres. */
    applyUs: number;
    writerUs: number;
    /** Microseconds for which the head of the stream stays locked: no more changes a second than fit into one. */
    lockUs: number;
    /** Microseconds in the consumer that relays, and in its session of Postgres. */
    relayUs: number;
    brokerUs: number;
    /** Microseconds in every gateway process, whether a stream wants the change or not. */
    gatewayUs: number;
    /** Bytes of a record in Kafka, as it is sent. */
    recordBytes: number;
    /** Bytes of an event on a stream, alone in its write. */
    eventBytes: number;
    /** The same for a client that accepts gzip. */
    gzipBytes: number;
  };
  write: {
    /** Microseconds to write to a socket, and for each kilobyte of the write. */
    baseUs: number;
    kilobyteUs: number;
    /** How often a gateway delivers at most, in a second: changes that come faster share a write. */
    turnsPerSecond: number;
  };
  stream: {
    /** Kibibytes in the process. */
    memoryKib: number;
    /** Seconds between heartbeats, each of them a write. */
    heartbeatSeconds: number;
    /** Microseconds of Postgres to renew its lease, for plans that limit streams, and the seconds between renewals. */
    leaseUs: number;
    leaseSeconds: number;
  };
  read: {
    /** Microseconds in the gateway for an answer that is kept, and for one that is made anew. */
    keptUs: number;
    anewUs: number;
    /** Microseconds of Postgres for one that is made anew. */
    postgresUs: number;
    bytes: number;
  };
  gateway: {
    /** Mebibytes of a process without streams. */
    memoryMib: number;
    /** Connections to Postgres. */
    connections: number;
  };
}

/**
 * Measured in November 2026 on two shared cores with everything on one machine: `bench -- stream ingest fan-out memory`,
 * `bench -- reads`, and decisions 24 and 32. A write is the one of a gateway that is a fifth full; when it is full, a write takes
 * 10.8. The cost of renewing a lease is an estimate: one row of a table with two indexes.
 */
export const MEASURED: Costs = {
  change: {
    applyUs: 29,
    writerUs: 17,
    lockUs: 33,
    relayUs: 16,
    brokerUs: 20,
    gatewayUs: 15,
    recordBytes: 700,
    eventBytes: 1187,
    gzipBytes: 607,
  },
  write: { baseUs: 14.5, kilobyteUs: 0.11, turnsPerSecond: 100 },
  stream: { memoryKib: 18.3, heartbeatSeconds: 20, leaseUs: 10, leaseSeconds: 10 },
  read: { keptUs: 160, anewUs: 500, postgresUs: 4000, bytes: 40_000 },
  gateway: { memoryMib: 200, connections: 25 },
};
