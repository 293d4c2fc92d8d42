/** The cost of each unit of work, on one core of the measured machine. */
export interface Costs {
  change: {
    /** Microseconds in the apply consumer, and in its Postgres session. */
    applyUs: number;
    writerUs: number;
    /** Microseconds of the lock on the head of the stream, which bound the changes a second. */
    lockUs: number;
    /** Microseconds in the relay, and in its Postgres session. */
    relayUs: number;
    brokerUs: number;
    /** Microseconds in every gateway process, for matching streams or none. */
    gatewayUs: number;
    /** Bytes of a record in Kafka, as sent. */
    recordBytes: number;
    /** Bytes of an event on a stream, alone in its write. */
    eventBytes: number;
    /** The same for a client that accepts gzip. */
    gzipBytes: number;
  };
  write: {
    /** Microseconds of a write to a socket, and of each kilobyte in it. */
    baseUs: number;
    kilobyteUs: number;
    /** The most deliveries of a gateway in a second: faster changes share a write. */
    turnsPerSecond: number;
  };
  stream: {
    /** Kibibytes in the process. */
    memoryKib: number;
    /** Seconds between heartbeats, each of them a write. */
    heartbeatSeconds: number;
    /** Microseconds in Postgres to renew a lease, for plans that limit streams, and the seconds between renewals. */
    leaseUs: number;
    leaseSeconds: number;
  };
  read: {
    /** Microseconds in the gateway for a kept answer, and for a new one. */
    keptUs: number;
    anewUs: number;
    /** Microseconds in Postgres for a new answer. */
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
 * Measured in November 2026 on two shared cores with everything on one machine: `bench -- stream ingest fan-out
 * memory`, `bench -- reads`, and decisions 24 and 32. The cost of a write is that of a gateway at a fifth of its
 * capacity; at full capacity it is 10.8. The cost of renewing a lease is an estimate: one row of a table with two
 * indexes.
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
