import { CopyText } from '../components.ts';
import { html } from '../html.ts';
import type { Page } from '../page.ts';

/** The first requests of a newcomer. */
export const startPages: readonly Page[] = [
  { method: 'GET', path: '/console', role: 'member', handle: async () => ({ redirect: '/console/start' }) },
  {
    method: 'GET',
    path: '/console/start',
    role: 'member',
    async handle({ publicUrl }) {
      return {
        title: 'First request',
        script: 'copy',
        body: html`<${CopyText} label="States" text=${`curl -H "Authorization: Bearer $KEY" '${publicUrl}/v1/states'`} />`,
      };
    },
  },
];
