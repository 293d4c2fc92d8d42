import type { MenuEntry, Page } from '../page.ts';
import { accountPages } from './account.ts';
import { auditPages } from './audit.ts';
import { explorerCoveragePages } from './explorer-coverage.ts';
import { explorerElectionPages } from './explorer-elections.ts';
import { explorerEndorserPages } from './explorer-endorsers.ts';
import { explorerGuidePages } from './explorer-guide.ts';
import { explorerOfficeholderPages } from './explorer-officeholders.ts';
import { explorerSearchPages } from './explorer-search.ts';
import { historyPages } from './history.ts';
import { keyPages } from './keys.ts';
import { livePages } from './live.ts';
import { operatorAccountPages } from './operator-accounts.ts';
import { operatorImportPages } from './operator-imports.ts';
import { operatorLinkPages } from './operator-links.ts';
import { operatorPlanPages } from './operator-plans.ts';
import { operatorRejectedPages } from './operator-rejected.ts';
import { operatorRejectionPages } from './operator-rejection.ts';
import { operatorRequestPages } from './operator-requests.ts';
import { operatorRightPages } from './operator-rights.ts';
import { operatorStatusPages } from './operator-status.ts';
import { operatorUsagePages } from './operator-usage.ts';
import { ownEndorsementPages } from './own-endorsements.ts';
import { ownPositionPages } from './own-position.ts';
import { peoplePages } from './people.ts';
import { startPages } from './start.ts';
import { subscriptionPages } from './subscriptions.ts';
import { uploadUndoPages } from './upload-undo.ts';
import { uploadPages } from './uploads.ts';
import { usagePages } from './usage.ts';
import { oneWebhookPages } from './webhook.ts';
import { webhookPages } from './webhooks.ts';

export const pages: readonly Page[] = [
  ...startPages,
  ...keyPages,
  ...explorerElectionPages,
  ...explorerEndorserPages,
  ...explorerGuidePages,
  ...explorerCoveragePages,
  ...explorerOfficeholderPages,
  ...explorerSearchPages,
  ...ownEndorsementPages,
  ...uploadPages,
  ...uploadUndoPages,
  ...ownPositionPages,
  ...historyPages,
  ...usagePages,
  ...auditPages,
  ...operatorAccountPages,
  ...operatorLinkPages,
  ...operatorRightPages,
  ...operatorPlanPages,
  ...operatorStatusPages,
  ...operatorUsagePages,
  ...operatorRequestPages,
  ...operatorRejectedPages,
  ...operatorRejectionPages,
  ...operatorImportPages,
  ...livePages,
  ...subscriptionPages,
  ...webhookPages,
  ...oneWebhookPages,
  ...peoplePages,
  ...accountPages,
];

/** The menu, in its order. */
export const menu: readonly MenuEntry[] = [
  { path: '/console/start', label: 'First request', role: 'member' },
  { path: '/console/keys', label: 'API keys', role: 'member' },
  { path: '/console/live', label: 'Live', role: 'member' },
  { path: '/console/explorer', label: 'Explorer', role: 'member' },
  { path: '/console/endorsements', label: 'Our endorsements', role: 'editor' },
  { path: '/console/subscriptions', label: 'Subscriptions', role: 'member' },
  { path: '/console/webhooks', label: 'Webhooks', role: 'member' },
  { path: '/console/usage', label: 'Usage', role: 'member' },
  { path: '/console/people', label: 'People', role: 'member' },
  { path: '/console/audit', label: 'Audit log', role: 'owner' },
  { path: '/docs/guides', label: 'Guides', role: 'member' },
  { path: '/console/operator/accounts', label: 'Accounts', role: 'operator' },
  { path: '/console/operator/plans', label: 'Plans', role: 'operator' },
  { path: '/console/operator/status', label: 'Status', role: 'operator' },
  { path: '/console/operator/usage', label: 'Usage of all', role: 'operator' },
  { path: '/console/operator/requests', label: 'Requests of all', role: 'operator' },
  { path: '/console/operator/rejected', label: 'Rejected', role: 'operator' },
  { path: '/console/operator/imports', label: 'Catalogue imports', role: 'operator' },
  { path: '/console/operator/audit', label: 'Audit of all', role: 'operator' },
];
