import { MOST_WEBHOOKS, type Plan, type PlanLimits } from '../../../store/accounts/plans.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';

/** The largest limit that the database can hold. */
const MAX_LIMIT = 2_147_483_647;

/** The limits with their labels and largest values. */
const FIELDS: readonly [keyof PlanLimits, string, number][] = [
  ['requestsPerMinute', 'Requests a minute', MAX_LIMIT],
  ['requestsPerDay', 'Requests a day', MAX_LIMIT],
  ['maxStreams', 'Open streams', MAX_LIMIT],
  ['maxWebhooks', 'Webhooks', MOST_WEBHOOKS],
];

/** A refused form of a plan, to show again. */
export interface RefusedPlanForm {
  name: string;
  values: URLSearchParams;
  /** Problems by field; null if the plan has been changed since the form was made. */
  problems: ReadonlyMap<keyof PlanLimits, string> | null;
}

/** The hidden field with the limits that the form's page has shown. */
const SEEN_FIELD = 'seen';
const LIMIT_OR_NONE = /^(\d{1,10})?$/;

/** Limits in the order of the form: `60/5000/`. */
const writeSeen = (plan: Plan): string => FIELDS.map(([name]) => plan[name] ?? '').join('/');

/** The limits that the form's page has shown, of an older version the first of them; undefined for a form without them. */
export function readSeen(form: URLSearchParams): Partial<PlanLimits> | undefined {
  const texts = form.get(SEEN_FIELD)?.split('/');
  if (!texts?.every((text) => LIMIT_OR_NONE.test(text))) return undefined;
  const shown = FIELDS.slice(0, texts.length);
  return Object.fromEntries(shown.map(([name], index) => [name, texts[index] ? Number(texts[index]) : null]));
}

function readLimit(text: string, most: number): number | null | undefined {
  if (text === '') return null;
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}

/**
 * Reads the limits of a form; an empty field means no limit. A page of an older version lacks newer limits, which stay.
 *
 * @returns them, or a sentence about each invalid field
 */
export function readPlanForm(
  form: URLSearchParams,
): { limits: Partial<PlanLimits> } | { problems: ReadonlyMap<keyof PlanLimits, string> } {
  const read = FIELDS.filter(([name]) => form.has(name)).map(
    ([name, label, most]) => [name, label, most, readLimit((form.get(name) ?? '').trim(), most)] as const,
  );
  const problems = read.flatMap(([name, label, most, limit]) =>
    limit === undefined
      ? [[name, `${label} must be a whole number from 1 to ${most}, or empty for no limit.`] as const]
      : [],
  );
  if (problems.length > 0) return { problems: new Map(problems) };
  return { limits: Object.fromEntries(read.map(([name, , , limit]) => [name, limit])) };
}

function LimitField(props: {
  id: string;
  name: keyof PlanLimits;
  label: string;
  value: string | number | null;
  problem: string | undefined;
  /** The stored value, if it differs. */
  stored: string | undefined;
  /** Whether this is the first invalid field. */
  isFirst: boolean;
}): Html {
  const { id, name, label, value, problem, stored, isFirst } = props;
  const isWrong = problem !== undefined;
  return html`
    <div>
      <label>${label} <input name=${name} inputmode="numeric" size="10" value=${value} placeholder="no limit"
        aria-invalid=${isWrong ? 'true' : null} aria-describedby=${isWrong || stored ? id : null} autofocus=${isFirst} /></label>
      ${isWrong && html`<p class="problem" id=${id}>${problem}</p>`}
      ${stored && html`<p class="problem" id=${id}>${stored}</p>`}
    </div>`;
}

/** The form of a plan. @param refused the previous form, if it was refused */
export function PlanForm(props: { plan: Plan; refused?: RefusedPlanForm | undefined }): Html {
  const { plan, refused } = props;
  const [first] = refused?.problems?.keys() ?? [];
  const isChanged = refused?.problems === null;
  const describeStored = (name: keyof PlanLimits): string | undefined =>
    isChanged && refused.values.has(name) && String(plan[name] ?? '') !== refused.values.get(name)?.trim()
      ? `Stored now: ${plan[name] ?? 'no limit'}`
      : undefined;
  return html`
    <${Form} action=${`/console/operator/plans/${plan.name}`} class="card" label=${`Plan ${plan.name}`}>
      <h2>${plan.name}</h2>
      <input type="hidden" name=${SEEN_FIELD} value=${(!isChanged && refused?.values.get(SEEN_FIELD)) || writeSeen(plan)} />
      <div class="filters">
        ${FIELDS.map(
          ([name, label]) => html`
          <${LimitField} id=${`${plan.name}-${name}`} name=${name} label=${label} isFirst=${name === first}
            value=${refused?.values.get(name) ?? plan[name]} problem=${refused?.problems?.get(name)} stored=${describeStored(name)} />`,
        )}
        <button>${isChanged ? 'Save anyway' : 'Save'}</button>
        ${isChanged && html`<a href="/console/operator/plans">Keep what is stored</a>`}
      </div>
    <//>`;
}
