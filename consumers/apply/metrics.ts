import { Counter } from 'prom-client';

export const appliedSubmissions = new Counter({
  name: 'submissions_applied_total',
  help: 'Submissions that were read and dealt with, rejected ones included.',
});

export const appliedChanges = new Counter({
  name: 'endorsement_changes_total',
  help: 'Changes that submissions made.',
});

export const rejectedSubmissions = new Counter({
  name: 'submissions_rejected_total',
  help: 'Submissions that were refused and sent to the rejected topic.',
});
