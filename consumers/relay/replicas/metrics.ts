import { Counter, Gauge, Histogram } from 'prom-client';

export const replicaInUse = new Gauge({
  name: 'replica_in_use',
  help: '1 while gateways may read from the replica, 0 otherwise. Only the leader of the relay reports it.',
  labelNames: ['replica'],
});

export const replicaLag = new Gauge({
  name: 'replica_lag_seconds',
  help: 'The last delay of the replica in showing a commit of the primary, measured by the leader of the relay.',
  labelNames: ['replica'],
});

export const replicaExclusions = new Counter({
  name: 'replica_exclusions_total',
  help: 'How often the replica was taken out of use, because it was late, unreachable or no longer a replica.',
  labelNames: ['replica'],
});

export const replicaWait = new Histogram({
  name: 'replica_wait_seconds',
  help: 'How long changes waited for the replicas in use before they were announced.',
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});
