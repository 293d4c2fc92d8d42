import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../../service/operator-error.ts';
import { type Actor, recordAudit } from './audit-log.ts';

/** The limits of an account; null is unlimited, except for webhooks. */
export interface PlanLimits {
  requestsPerMinute: number | null;
  requestsPerDay: number | null;
  maxStreams: number | null;
  /** At most MOST_WEBHOOKS; null is that many. */
  maxWebhooks: number | null;
}

/** The most webhooks of an account, in any plan. */
export const MOST_WEBHOOKS = 10;

export interface Plan extends PlanLimits {
  name: string;
}

/** The plan does not exist, or the account is on a different plan than the given one. */
export class PlanMismatchError extends OperatorError {
  override name = 'PlanMismatchError';
}

/** The plan's limits changed after the operator read them. */
export class PlanChangedError extends Error {
  override name = 'PlanChangedError';
}

/** Every plan, by name. */
export async function listPlans(client: ClientBase | Pool): Promise<Plan[]> {
  const { rows } = await client.query<Plan>(
    `SELECT name, requests_per_minute AS "requestsPerMinute", requests_per_day AS "requestsPerDay",
       max_streams AS "maxStreams", max_webhooks AS "maxWebhooks"
     FROM plans ORDER BY name`,
  );
  return rows;
}

function hasLimits(plan: Plan, limits: PlanLimits): boolean {
  return (Object.keys(limits) as (keyof PlanLimits)[]).every((name) => plan[name] === limits[name]);
}

/** The plan of this name. @throws PlanMismatchError if it does not exist; the message lists the plans. */
export async function requirePlan(client: ClientBase, name: string): Promise<Plan> {
  const plans = await listPlans(client);
  const plan = plans.find((candidate) => candidate.name === name);
  if (plan) return plan;
  const names = plans.map((candidate) => candidate.name).join(', ');
  throw new PlanMismatchError(`There is no plan "${name}"; there are: ${names}.`);
}

/**
 * Changes some limits of a plan, for every account on it. Omitted limits stay. Writes nothing to the audit log if all do.
 *
 * @param seen the required present limits, unless they are the new ones already; any if omitted
 * @returns the changed plan.
 * @throws PlanMismatchError if the plan does not exist.
 * @throws PlanChangedError if the present limits are not `seen`.
 */
export async function changePlan(
  client: ClientBase,
  name: string,
  limits: Partial<PlanLimits>,
  actor: Actor,
  seen: Partial<PlanLimits> = {},
): Promise<Plan> {
  // The lock keeps the plan unchanged from the next read to the commit.
  await client.query('SELECT FROM plans WHERE name = $1 FOR UPDATE', [name]);
  const before = await requirePlan(client, name);
  const plan = { ...before, ...limits };
  if (hasLimits(before, plan)) return plan;
  if (!hasLimits(before, { ...before, ...seen })) throw new PlanChangedError();
  await client.query(
    `UPDATE plans SET requests_per_minute = $2, requests_per_day = $3, max_streams = $4, max_webhooks = $5
     WHERE name = $1`,
    [name, plan.requestsPerMinute, plan.requestsPerDay, plan.maxStreams, plan.maxWebhooks],
  );
  await recordAudit(client, actor, {
    action: 'plan.changed',
    subject: `plan ${name}`,
    details: { ...limits },
  });
  return plan;
}
