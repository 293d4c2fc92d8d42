import {
  changePlan,
  listPlans,
  type Plan,
  type PlanLimits,
  PlanMismatchError,
} from '../../../store/accounts/plans.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { actorOf } from '../actor.ts';
import { Notice } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import type { Page, PageRequest, ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';

const MAX_LIMIT = 1_000_000_000;

const FIELDS: readonly [keyof PlanLimits, string][] = [
  ['requestsPerMinute', 'Requests a minute'],
  ['requestsPerDay', 'Requests a day'],
  ['maxStreams', 'Open streams'],
];

/** Reads the limits of a form; an empty field is no limit. @throws PageError 400 */
function readLimits(form: URLSearchParams): PlanLimits {
  const read = (name: string, label: string): number | null => {
    const text = (form.get(name) ?? '').trim();
    if (text === '') return null;
    if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_LIMIT) return Number(text);
    throw new PageError(
      400,
      `${label} must be a whole number from 1 to ${MAX_LIMIT}, or empty for no limit.`,
    );
  };
  const entries = FIELDS.map(([name, label]) => [name, read(name, label)] as const);
  return Object.fromEntries(entries) as Record<keyof PlanLimits, number | null>;
}

function PlanForm({ plan, csrf }: { plan: Plan; csrf: string }): Html {
  return html`
    <${Form} action=${`/console/operator/plans/${plan.name}`} csrf=${csrf} class="card">
      <h2>${plan.name}</h2>
      <div class="filters">
        ${FIELDS.map(
          ([name, label]) =>
            html`<label>${label} <input name=${name} inputmode="numeric" size="10" value=${plan[name]} placeholder="no limit" /></label>`,
        )}
        <button>Save</button>
      </div>
    <//>`;
}

async function showPlans({ csrf, query }: PageRequest, { pool }: ConsoleContext): Promise<ShownPage> {
  const plans = await listPlans(pool);
  return {
    title: 'Plans',
    body: html`
      ${query.has('saved') && html`<${Notice} kind="good">The plan is saved. Gateways go by it within seconds.<//>`}
      <p>A plan limits every account on it, over all gateways together. An empty field is no limit.</p>
      ${plans.map((plan) => html`<${PlanForm} plan=${plan} csrf=${csrf} />`)}`,
  };
}

/** The limits of every plan, for operators. */
export const operatorPlanPages: readonly Page[] = [
  { method: 'GET', path: '/console/operator/plans', role: 'operator', handle: showPlans },
  {
    method: 'POST',
    path: '/console/operator/plans/{name}',
    role: 'operator',
    async handle({ path, form, session }, { pool }) {
      const limits = readLimits(form);
      try {
        await inTransaction(pool, (client) => changePlan(client, path.name ?? '', limits, actorOf(session)));
      } catch (error) {
        if (error instanceof PlanMismatchError) throw new PageError(404, error.message);
        throw error;
      }
      return { redirect: '/console/operator/plans?saved' };
    },
  },
];
