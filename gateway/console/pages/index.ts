import type { MenuEntry, Page } from '../page.ts';
import { accountPages } from './account.ts';
import { keyPages } from './keys.ts';
import { livePages } from './live.ts';
import { startPages } from './start.ts';
import { subscriptionPages } from './subscriptions.ts';

export const pages: readonly Page[] = [
  ...startPages,
  ...keyPages,
  ...livePages,
  ...subscriptionPages,
  ...accountPages,
];

/** The menu, in its order. */
export const menu: readonly MenuEntry[] = [
  { path: '/console/start', label: 'First request', role: 'member' },
  { path: '/console/keys', label: 'API keys', role: 'member' },
  { path: '/console/live', label: 'Live', role: 'member' },
  { path: '/console/subscriptions', label: 'Subscriptions', role: 'member' },
];
