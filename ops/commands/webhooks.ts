import { Option } from 'commander';
import { describeOutcome, describeState } from '../../administration/webhooks/describe.ts';
import { WEBHOOK_STATES } from '../../schemas/vocabulary.ts';
import { parseInteger } from '../../service/environment.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readPages } from '../../service/read-pages.ts';
import { disableWebhook, listAllWebhooks, listAttempts, retryWebhook } from '../../store/webhooks/control.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { currentActor, inDatabaseOf } from '../database.ts';
import { findNamedAccount } from '../named-account.ts';
import { parseRowId } from '../row-id.ts';
import { count, formatMinute, formatTable } from '../table.ts';
import { listen } from '../webhooks/listen.ts';

const PAGE = 500;
const SHOWN_ATTEMPTS = 20;
const LISTEN_PORT = 8787;

const EXAMPLES = `
Examples:
  npm run ops -- webhooks list --state failing
  npm run ops -- webhooks show 12
  npm run ops -- webhooks retry 12
  npm run ops -- webhooks disable 12
  npm run ops -- webhooks listen --secret-file secret`;

/** `webhooks list`, `show ID`, `retry ID`, `disable ID`, `listen`. */
export const define: DefineCommand = (webhooks, io) => {
  webhooks
    .command('list')
    .description('list the webhooks of all accounts, a line each')
    .option('--account <name>', 'only those of an account')
    .addOption(new Option('--state <state>', 'only those in a state').choices(WEBHOOK_STATES))
    .action((flags: { account?: string; state?: string }) => list(io, flags));
  const one = (name: string, description: string, work: (io: CommandIo, id: number) => Promise<void>) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>', 'the id that "webhooks list" shows')
      .action((id: string) => work(io, parseRowId(id, 'webhooks list')));
  one('show', 'show a webhook with its newest attempts', show);
  one('retry', 'send the next message at once; a disabled webhook continues where it stood', retry);
  one('disable', 'send nothing more; people of the account cannot resume it', disable);
  webhooks
    .command('listen')
    .description('print deliveries on this machine, and accept them; Ctrl-C ends it')
    .option('--port <port>', 'the port of 127.0.0.1', parsePort, LISTEN_PORT)
    .option('--secret-file <file>', 'a file with the secret of the webhook, to verify signatures with')
    .action((flags: { port: number; secretFile?: string }) => listen(io, flags));
  for (const command of webhooks.commands) command.addHelpText('after', EXAMPLES);
};

const parsePort = (text: string) => parseInteger('--port', text, { min: 1, max: 65_535 });

const noSuch = (id: number) => new OperatorError(`There is no webhook ${id}: "webhooks list" shows them.`);

async function list(io: CommandIo, { account, state }: { account?: string; state?: string }): Promise<void> {
  await inDatabaseOf(io, async (client) => {
    const accountId = await findNamedAccount(client, account);
    const head = ['ID', 'ACCOUNT', 'NAME', 'URL', 'STATE', 'DELIVERED', 'LAST ATTEMPT'];
    for (const line of formatTable(head, [])) io.out(line);
    const chosen = { accountId, state: state ?? null, limit: PAGE };
    for await (const item of readPages((after) => listAllWebhooks(client, { ...chosen, after }))) {
      const { id, name, url, deliveredEvents, lastAttemptAt } = item;
      const cells = [id, item.account, name, url, describeState(item), deliveredEvents];
      const [, line = ''] = formatTable(head, [[...cells, formatMinute(lastAttemptAt)]]);
      io.out(line);
    }
  });
}

async function show(io: CommandIo, id: number): Promise<void> {
  await inDatabaseOf(io, async (client) => {
    const [item] = await listAllWebhooks(client, { id, limit: 1 });
    if (!item) throw noSuch(id);
    const facts: [string, string | number | null][] = [
      ['id', item.id],
      ['account', item.account],
      ['name', item.name],
      ['url', item.url],
      ['state', describeState(item)],
      ['failing since', formatMinute(item.failingSince)],
      ['next attempt', formatMinute(item.nextAttemptAt)],
      ['delivered', `${count(item.deliveredEvents)} events`],
      ['attempts', count(item.attempts)],
      ['position', item.cursor],
    ];
    for (const [label, value] of facts) io.out(`${label.padEnd(15)}${value ?? '-'}`);
    const attempts = await listAttempts(client, id, { before: null, limit: SHOWN_ATTEMPTS });
    const head = ['TIME', 'OUTCOME', 'STATUS', 'EVENTS', 'MS', 'MESSAGE', 'ANSWER'];
    const rows = attempts.map((attempt) => [
      formatMinute(attempt.attemptedAt),
      describeOutcome(attempt.outcome),
      attempt.status,
      attempt.isTest ? 'test' : attempt.events,
      attempt.durationMs,
      attempt.messageId,
      attempt.answer.slice(0, 80) || null,
    ]);
    if (rows.length === 0) return io.out('There are no attempts yet.');
    for (const line of formatTable(head, rows, io.outTerminal)) io.out(line);
  });
}

async function retry(io: CommandIo, id: number): Promise<void> {
  const found = await inDatabaseOf(io, (client) => retryWebhook(client, id, currentActor()));
  if (!found) throw noSuch(id);
  io.out(
    `Webhook ${id} is active: its next message follows within five seconds, if the changes after its position are still ` +
      'kept. Otherwise, its account must resume it from another position.',
  );
}

async function disable(io: CommandIo, id: number): Promise<void> {
  const found = await inDatabaseOf(io, (client) =>
    disableWebhook(client, { id, accountId: null }, currentActor()),
  );
  if (!found) throw noSuch(id);
  io.out(
    `Webhook ${id} is disabled: nothing is sent to it after five seconds. "webhooks retry ${id}" undoes this.`,
  );
}
