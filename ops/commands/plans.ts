import { parseInteger } from '../../service/environment.ts';
import { OperatorError } from '../../service/operator-error.ts';
import {
  changePlan,
  listPlans,
  MOST_WEBHOOKS,
  type Plan,
  type PlanLimits,
} from '../../store/accounts/plans.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { currentActor, inDatabaseOf } from '../database.ts';
import { formatTable } from '../table.ts';

const UNLIMITED = 'unlimited';
const MAX_LIMIT = 2_147_483_647;

const EXAMPLES = `
Examples:
  npm run ops -- plans list
  npm run ops -- plans set standard --requests-per-day 90000 --max-streams unlimited`;

/** `plans list`, `plans set NAME [--requests-per-minute N] [--requests-per-day N] [--max-streams N] [--max-webhooks N]`. */
export const define: DefineCommand = (plans, io) => {
  plans
    .command('list')
    .description('list every plan with its limits')
    .action(() => list(io));
  plans
    .command('set')
    .description('change limits of a plan; each is a whole number from 1, or "unlimited"')
    .argument('<name>', 'a plan that "plans list" shows')
    .option(
      '--requests-per-minute <n>',
      'requests of an account in a minute',
      parseLimit('requests-per-minute'),
    )
    .option(
      '--requests-per-day <n>',
      'requests of an account in a day, in UTC',
      parseLimit('requests-per-day'),
    )
    .option('--max-streams <n>', 'open streams of an account', parseLimit('max-streams'))
    .option(
      '--max-webhooks <n>',
      `webhooks of an account, at most ${MOST_WEBHOOKS}`,
      parseLimit('max-webhooks', MOST_WEBHOOKS),
    )
    .action((name: string, limits: GivenLimits) => set(io, name, limits));
  for (const command of plans.commands) command.addHelpText('after', EXAMPLES);
};

/** Commander replaces a parser's null by an empty text, so a lifted limit stays a word until later. */
type GivenLimits = { [name in keyof PlanLimits]?: number | typeof UNLIMITED };

function parseLimit(option: string, most = MAX_LIMIT): (text: string) => number | typeof UNLIMITED {
  const bounds = { min: 1, max: most, or: `"${UNLIMITED}"` };
  return (text) => (text === UNLIMITED ? UNLIMITED : parseInteger(`--${option}`, text, bounds));
}

async function list(io: CommandIo): Promise<void> {
  printPlans(io, await inDatabaseOf(io, listPlans));
}

async function set(io: CommandIo, name: string, given: GivenLimits): Promise<void> {
  const limits: Partial<PlanLimits> = Object.fromEntries(
    Object.entries(given).map(([limit, value]) => [limit, value === UNLIMITED ? null : value]),
  );
  if (Object.keys(limits).length === 0) {
    throw new OperatorError('No limit is given: see "npm run ops -- plans set --help".');
  }
  const plan = await inDatabaseOf(io, (client) => changePlan(client, name, limits, currentActor()));
  printPlans(io, [plan]);
}

function printPlans(io: CommandIo, plans: Plan[]): void {
  const limit = (value: number | null) => value ?? UNLIMITED;
  const rows = plans.map((plan) => [
    plan.name,
    limit(plan.requestsPerMinute),
    limit(plan.requestsPerDay),
    limit(plan.maxStreams),
    plan.maxWebhooks ?? MOST_WEBHOOKS,
  ]);
  const columns = ['PLAN', 'REQUESTS A MINUTE', 'REQUESTS A DAY', 'STREAMS', 'WEBHOOKS'];
  for (const line of formatTable(columns, rows, io.outTerminal)) io.out(line);
}
