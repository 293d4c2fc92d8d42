import type { MenuEntry, Page } from '../page.ts';
import { accountPages } from './account.ts';
import { keyPages } from './keys.ts';
import { peoplePages } from './people.ts';
import { startPages } from './start.ts';

export const pages: readonly Page[] = [...startPages, ...keyPages, ...peoplePages, ...accountPages];

/** The menu, in its order. */
export const menu: readonly MenuEntry[] = [
  { path: '/console/start', label: 'First request', role: 'member' },
  { path: '/console/keys', label: 'API keys', role: 'member' },
  { path: '/console/people', label: 'People', role: 'member' },
];
