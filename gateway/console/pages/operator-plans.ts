import { changePlan, listPlans, PlanChangedError, PlanMismatchError } from '../../../store/accounts/plans.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { actorOf } from '../actor.ts';
import { Notice } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { html } from '../html.ts';
import { defineForm, definePage, type PageReply, type PageRequest, type ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { PlanForm, type RefusedPlanForm, readPlanForm, readSeen } from './plan-form.ts';

function describeRefusal({ name, problems }: RefusedPlanForm): string {
  if (problems) return `The plan ${name} is not saved. ${[...problems.values()].join(' ')}`;
  return `The plan ${name} has been changed in the meantime, so it is not saved. Its form has what you entered, and says what is stored now.`;
}

async function showPlans(
  { query }: PageRequest,
  { pool }: ConsoleContext,
  refused?: RefusedPlanForm,
): Promise<ShownPage> {
  const plans = await listPlans(pool);
  if (refused && !plans.some(({ name }) => name === refused.name)) {
    throw new PageError(404, 'There is no such plan.');
  }
  return {
    title: 'Plans',
    status: refused ? (refused.problems ? 400 : 409) : 200,
    body: html`
      ${refused && html`<${Notice} kind="bad" answers=${refused.problems === null}>${describeRefusal(refused)}<//>`}
      ${query.has('saved') && html`<${Notice} kind="good" answers>The plan is saved. Gateways apply it within seconds.<//>`}
      <p>A plan limits every account on it, over all gateways together. An empty field means no limit.</p>
      ${plans.map((plan) => html`<${PlanForm} plan=${plan} refused=${plan.name === refused?.name ? refused : undefined} />`)}`,
  };
}

async function savePlan(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { path, form, session } = request;
  const { name = '' } = path;
  const read = readPlanForm(form);
  if ('problems' in read) return showPlans(request, context, { name, values: form, ...read });
  try {
    await inTransaction(context.pool, (client) =>
      changePlan(client, name, read.limits, actorOf(session), readSeen(form)),
    );
  } catch (error) {
    if (error instanceof PlanChangedError) {
      return showPlans(request, context, { name, values: form, problems: null });
    }
    if (error instanceof PlanMismatchError) throw new PageError(404, error.message);
    throw error;
  }
  return { redirect: '/console/operator/plans?saved' };
}

/** The limits of every plan, for operators. */
export const operatorPlanPages = [
  definePage('/console/operator/plans', 'operator', showPlans),
  defineForm('/console/operator/plans/{name}', 'operator', savePlan),
];
