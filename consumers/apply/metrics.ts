import { Counter, Gauge } from 'prom-client';

export const applyLeader = new Gauge({
  name: 'apply_leader',
  help: '1 while this process applies submissions, 0 while it stands by.',
});

export const appliedSubmissions = new Counter({
  name: 'submissions_applied_total',
  help: 'Submissions that were read and decided, including rejected ones.',
});

export const appliedChanges = new Counter({
  name: 'endorsement_changes_total',
  help: 'Changes that submissions made.',
});

export const rejectedSubmissions = new Counter({
  name: 'submissions_rejected_total',
  help: 'Submissions that were rejected.',
});

export const pendingRejections = new Gauge({
  name: 'rejections_waiting',
  help: 'Rejections that are stored and not yet in the rejected topic.',
});

export const submissionsWaiting = new Gauge({
  name: 'submissions_waiting',
  help: 'Submissions not applied yet: readable ones, and those that an open transaction holds back.',
  labelNames: ['state'],
});

export const heldBackSeconds = new Gauge({
  name: 'submissions_held_back_seconds',
  help: 'How long an open transaction has blocked a partition, the longest of all partitions.',
});

export const oldestWaiting = new Gauge({
  name: 'submissions_oldest_waiting_seconds',
  help: 'How long the next submission of a partition has waited without progress, the longest of all partitions.',
});
