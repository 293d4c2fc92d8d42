/** `plans list`, `plans set NAME ...`: how much an account may do. */
import { parseArgs } from 'node:util';
import { OperatorError } from '../../service/operator-error.ts';
import {
  changePlan,
  listPlans,
  type Plan,
  type PlanLimits,
  PlanMismatchError,
} from '../../store/accounts/plans.ts';
import type { CommandIo } from '../command.ts';
import { createDatabaseConfig, readEnv } from '../config.ts';
import { currentActor, inOneTransaction } from '../database.ts';
import { formatTable } from '../table.ts';

const USAGE = [
  'Usage: npm run ops -- plans list',
  '       npm run ops -- plans set NAME [--requests-per-minute N] [--requests-per-day N] [--max-streams N]',
  'N is a whole number from 1, or "unlimited".',
].join('\n');

/** The options, and the limits that they set. */
const LIMITS = {
  'requests-per-minute': 'requestsPerMinute',
  'requests-per-day': 'requestsPerDay',
  'max-streams': 'maxStreams',
} as const satisfies Record<string, keyof PlanLimits>;
const MAX_LIMIT = 2_147_483_647;

function parseLimit(option: string, text: string): number | null {
  if (text === 'unlimited') return null;
  const limit = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (limit <= MAX_LIMIT) return limit;
  throw new OperatorError(
    `--${option} is "${text}"; it must be a whole number from 1 to ${MAX_LIMIT}, or "unlimited".`,
  );
}

function parseOptions(args: string[]): { positionals: string[]; limits: Partial<PlanLimits> } {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        'requests-per-minute': { type: 'string' },
        'requests-per-day': { type: 'string' },
        'max-streams': { type: 'string' },
      },
    });
    const given = Object.entries(values) as [keyof typeof LIMITS, string][];
    const limits = given.map(([option, text]) => [LIMITS[option], parseLimit(option, text)]);
    return { positionals, limits: Object.fromEntries(limits) };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
}

function formatPlans(plans: Plan[]): string[] {
  const limit = (value: number | null) => value ?? 'unlimited';
  return formatTable(
    ['PLAN', 'REQUESTS A MINUTE', 'REQUESTS A DAY', 'STREAMS'],
    plans.map((plan) => [
      plan.name,
      limit(plan.requestsPerMinute),
      limit(plan.requestsPerDay),
      limit(plan.maxStreams),
    ]),
  );
}

async function set(databaseUrl: string, name: string, limits: Partial<PlanLimits>): Promise<Plan> {
  try {
    return await inOneTransaction(databaseUrl, (client) => changePlan(client, name, limits, currentActor()));
  } catch (error) {
    if (error instanceof PlanMismatchError) throw new OperatorError(error.message);
    throw error;
  }
}

/** The command: see ops/command.ts. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const { positionals, limits } = parseOptions(args);
  const [action, name, ...rest] = positionals;
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const changes = Object.keys(limits).length > 0;
  if (rest.length > 0) throw new OperatorError(USAGE);
  if (action === 'list' && name === undefined && !changes) {
    for (const line of formatPlans(await inOneTransaction(databaseUrl, listPlans))) io.out(line);
  } else if (action === 'set' && name && changes) {
    for (const line of formatPlans([await set(databaseUrl, name, limits)])) io.out(line);
  } else throw new OperatorError(USAGE);
  return 0;
}
