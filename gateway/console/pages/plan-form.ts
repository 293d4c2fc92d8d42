import type { Plan, PlanLimits } from '../../../store/accounts/plans.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';

/** The most that the database can hold. */
const MAX_LIMIT = 2_147_483_647;

const FIELDS: readonly [keyof PlanLimits, string][] = [
  ['requestsPerMinute', 'Requests a minute'],
  ['requestsPerDay', 'Requests a day'],
  ['maxStreams', 'Open streams'],
];

/** A plan's form that was not carried out, as it is shown again. */
export interface RefusedPlanForm {
  name: string;
  values: URLSearchParams;
  /** Sentences about fields that are not right. */
  problems: ReadonlyMap<keyof PlanLimits, string>;
}

function readLimit(text: string): number | null | undefined {
  if (text === '') return null;
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_LIMIT ? Number(text) : undefined;
}

/** Reads the limits of a form, in which an empty field is no limit. @returns them, or a sentence about each wrong field */
export function readPlanForm(
  form: URLSearchParams,
): { limits: PlanLimits } | Pick<RefusedPlanForm, 'problems'> {
  const read = FIELDS.map(
    ([name, label]) => [name, label, readLimit((form.get(name) ?? '').trim())] as const,
  );
  const problems = read.flatMap(([name, label, limit]) =>
    limit === undefined
      ? [[name, `${label} must be a whole number from 1 to ${MAX_LIMIT}, or empty for no limit.`] as const]
      : [],
  );
  if (problems.length > 0) return { problems: new Map(problems) };
  const limits = Object.fromEntries(read.map(([name, , limit]) => [name, limit]));
  return { limits: limits as Record<keyof PlanLimits, number | null> };
}

function LimitField(props: {
  id: string;
  name: keyof PlanLimits;
  label: string;
  value: string | number | null;
  problem: string | undefined;
  /** Whether this is the first field to put right. */
  isFirst: boolean;
}): Html {
  const { id, name, label, value, problem, isFirst } = props;
  const isWrong = problem !== undefined;
  return html`
    <div>
      <label>${label} <input name=${name} inputmode="numeric" size="10" value=${value} placeholder="no limit"
        aria-invalid=${isWrong ? 'true' : null} aria-describedby=${isWrong ? id : null} autofocus=${isFirst} /></label>
      ${isWrong && html`<p class="problem" id=${id}>${problem}</p>`}
    </div>`;
}

/** The form of a plan. @param refused what was sent before, if that was refused */
export function PlanForm(props: { plan: Plan; csrf: string; refused?: RefusedPlanForm | undefined }): Html {
  const { plan, csrf, refused } = props;
  const [first] = refused?.problems.keys() ?? [];
  return html`
    <${Form} action=${`/console/operator/plans/${plan.name}`} csrf=${csrf} class="card">
      <h2>${plan.name}</h2>
      <div class="filters">
        ${FIELDS.map(
          ([name, label]) => html`
          <${LimitField} id=${`${plan.name}-${name}`} name=${name} label=${label} isFirst=${name === first}
            value=${refused ? refused.values.get(name) : plan[name]} problem=${refused?.problems.get(name)} />`,
        )}
        <button>Save</button>
      </div>
    <//>`;
}
