import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import { type Html, html } from './html.ts';
import { number } from './number.ts';

type Limits = Pick<ConsoleSession, 'requestsPerMinute' | 'requestsPerDay' | 'maxStreams'>;

/** A limit in words; null is unlimited. */
export const describeLimit = (most: number | null): string =>
  most === null ? 'no limit' : `at most ${number.format(most)}`;

/** The limits of a plan, which count over all keys of an account together. */
export function PlanLimits({ plan }: { plan: Limits }): Html {
  return html`
    <dl class="facts">
      <div><dt>Requests a minute</dt><dd>${describeLimit(plan.requestsPerMinute)}</dd></div>
      <div><dt>Requests a day (UTC)</dt><dd>${describeLimit(plan.requestsPerDay)}</dd></div>
      <div><dt>Open streams</dt><dd>${describeLimit(plan.maxStreams)}</dd></div>
    </dl>
    <p class="muted">All keys of the account share them.</p>`;
}
