import type { MenuEntry, Page } from '../page.ts';
import { accountPages } from './account.ts';
import { explorerElectionPages } from './explorer-elections.ts';
import { explorerEndorserPages } from './explorer-endorsers.ts';
import { explorerGuidePages } from './explorer-guide.ts';
import { keyPages } from './keys.ts';
import { startPages } from './start.ts';

export const pages: readonly Page[] = [
  ...startPages,
  ...keyPages,
  ...explorerElectionPages,
  ...explorerEndorserPages,
  ...explorerGuidePages,
  ...accountPages,
];

/** The menu, in its order. */
export const menu: readonly MenuEntry[] = [
  { path: '/console/start', label: 'First request', role: 'member' },
  { path: '/console/keys', label: 'API keys', role: 'member' },
  { path: '/console/explorer', label: 'Explorer', role: 'member' },
];
