import { describeRejection } from '../../administration/rejections/describe.ts';
import { findChosen } from '../../administration/rejections/find-chosen.ts';
import { findMended } from '../../administration/rejections/find-mended.ts';
import { readWithSuperseded, type SortedPage } from '../../administration/rejections/find-superseded.ts';
import { checkName, findNamed } from '../../administration/rejections/name.ts';
import { type RejectionPage, readRejections } from '../../administration/rejections/read-rejections.ts';
import { type RetryOutcome, retryChosen, retryNew } from '../../administration/rejections/retry.ts';
import { dismissChosen, findSettled } from '../../administration/rejections/settle.ts';
import { showRejection } from '../../administration/rejections/show.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Rejection } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { currentActor, inDatabaseOf, inOneTransaction } from '../database.ts';
import { withProgress } from '../progress.ts';
import { requireKafka, requireServers } from '../require-servers.ts';
import { count } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- rejected list
  npm run ops -- rejected show 3/1201
  npm run ops -- rejected dismiss 3/1201
  npm run ops -- rejected retry
  npm run ops -- rejected retry 3/1201 7/88
  npm run ops -- rejected retry 3/1201@2026-05-03T10:00:00.000Z`;

/** How to name a rejection, for the help. */
const NAME =
  'PARTITION/OFFSET as "rejected list" shows its origin, and @ with its time if others have the same origin';

/** `rejected list [--all]`, `show ORIGIN`, `dismiss ORIGIN...` and `retry [ORIGIN...]` (INV-9). */
export const define: DefineCommand = (rejected, io) => {
  rejected
    .command('list')
    .description(
      'print the rejected submissions that Kafka still keeps, a line of JSON each, without those whose endorser has ' +
        'changed its position in the contest since, that were sent again, or that an operator has dismissed',
    )
    .option('--all', 'print those as well')
    .action(({ all = false }: { all?: boolean }) => list(io, all));
  rejected
    .command('show')
    .description('print one rejected submission in full')
    .argument('<origin>', `its ${NAME}`)
    .action((origin: string) => show(io, origin));
  rejected
    .command('dismiss')
    .description('leave rejected submissions out of lists and retries from now on')
    .argument('<origins...>', `each ${NAME}`)
    .action((origins: string[]) => dismiss(io, origins));
  rejected
    .command('retry')
    .description('send the submissions that were rejected since the last retry again')
    .argument('[origins...]', `send these instead, each ${NAME}`)
    .action((origins: string[]) => retry(io, origins));
  for (const command of rejected.commands) command.addHelpText('after', EXAMPLES);
};

/**
 * Reads all rejections in pages, and reports other records of the topic.
 *
 * @param read `readRejections`, or `readWithSuperseded`
 */
async function readAll<P extends RejectionPage>(
  io: CommandIo,
  read: (topic: Parameters<typeof readRejections>[0]) => AsyncGenerator<P>,
  use: (page: P) => Promise<void> | void,
): Promise<void> {
  const { brokers, topicPrefix } = await requireKafka(io);
  const topic = topicNames(topicPrefix).rejected;
  let strangers = 0;
  await withProgress(io.terminal, 'Reading', async (onProgress) => {
    for await (const page of read({ brokers, topic, onProgress })) {
      strangers += page.strangers;
      await use(page);
    }
  });
  if (strangers > 0) io.err(`${strangers} records or batches of the rejected topic are not rejections.`);
}

/** Prints the outstanding rejections, or all of them. For all, Kafka is enough. */
async function list(io: CommandIo, all: boolean): Promise<void> {
  let [kept, hidden] = [0, 0];
  const print = (rejections: readonly Rejection[], over: ReadonlySet<Rejection>) => {
    for (const rejection of rejections) if (!over.has(rejection)) io.out(describeRejection(rejection));
    kept += rejections.length - over.size;
    hidden += over.size;
  };
  await (all
    ? readAll(io, readRejections, ({ rejections }) => print(rejections, new Set()))
    : readAll(io, readWithSuperseded, async (page) => print(page.rejections, await findOver(io, page))));
  io.err(
    `${count(kept)} rejected submissions are kept` +
      (hidden > 0
        ? `, and ${count(hidden)} more whose endorsers have changed their positions since, or that were sent again or dismissed: --all shows them too.`
        : '.'),
  );
}

/** The rejections that need nothing more: changed since, sent again, corrected or dismissed. */
async function findOver(io: CommandIo, { rejections, superseded }: SortedPage): Promise<Set<Rejection>> {
  return inDatabaseOf(io, async (client) => {
    const mended = await findMended(client, rejections);
    const settled = await findSettled(client, rejections);
    return new Set([...mended, ...settled.keys(), ...superseded]);
  });
}

/** @throws OperatorError if no rejection of this origin is kept, or if the brokers cannot be used */
async function show(io: CommandIo, origin: string): Promise<void> {
  checkName(origin);
  const found: Rejection[] = [];
  await readAll(io, readRejections, ({ rejections }) => {
    found.push(...findNamed(rejections, origin));
  });
  if (found.length === 0) {
    throw new OperatorError(
      `No rejected submission of origin ${origin} is kept; "rejected list" shows those that are.`,
    );
  }
  if (found.length > 1) io.err(`${found.length} different rejected submissions have the origin ${origin}.`);
  for (const [index, rejection] of found.entries()) {
    if (index > 0) io.out('');
    for (const line of showRejection(rejection)) io.out(line);
  }
}

/** @throws OperatorError if an origin or a server cannot be used */
async function dismiss(io: CommandIo, origins: string[]): Promise<void> {
  for (const origin of origins) checkName(origin);
  const config = await requireServers(io);
  const actor = currentActor();
  const chosen = await withProgress(io.terminal, 'Reading', (onProgress) =>
    findChosen({ ...config, onProgress }, origins, 'Nothing was dismissed'),
  );
  const dismissed = await inOneTransaction(config.databaseUrl, (client) =>
    dismissChosen(client, config, chosen, actor),
  );
  io.err(`${dismissed} rejected submissions are dismissed.`);
}

/** @throws OperatorError if an origin or a server cannot be used */
async function retry(io: CommandIo, origins: string[]): Promise<void> {
  for (const origin of origins) checkName(origin);
  const config = await requireServers(io);
  const actor = currentActor();
  if (origins.length > 0) {
    const chosen = await withProgress(io.terminal, 'Reading', (onProgress) =>
      findChosen({ ...config, onProgress }, origins, 'Nothing was sent'),
    );
    const sent = await inOneTransaction(config.databaseUrl, (client) =>
      retryChosen(client, config, chosen, actor),
    );
    return io.err(`${sent} rejected submissions were sent again.`);
  }
  const onOutdated = (rejection: Rejection) => io.out(describeRejection(rejection));
  const outcome = await withProgress(io.terminal, 'Reading', (onProgress) =>
    inOneTransaction(config.databaseUrl, (client) =>
      retryNew(client, { ...config, onProgress, onOutdated }, actor),
    ),
  );
  reportRetry(io, outcome);
}

/** Prints the number of sent submissions, and of those that were left out. */
function reportRetry(io: CommandIo, outcome: RetryOutcome): void {
  const { sent, unreadable, skipped, outdated, superseded, settled } = outcome;
  io.err(
    `${sent} rejected submissions were sent again${unreadable > 0 ? `, ${unreadable} cannot be read` : ''}.`,
  );
  if (skipped > 0) {
    io.err(
      `${skipped} were not, since an operator skipped them. "rejected retry PARTITION/OFFSET" sends one of them.`,
    );
  }
  if (superseded > 0) {
    io.err(`${superseded} were not, since they had come again, and only the last of equal ones is sent.`);
  }
  if (settled > 0) io.err(`${settled} were not, since an operator has dismissed or corrected them.`);
  if (outdated > 0) {
    io.err(
      `${outdated} were not, since their endorsers have changed their positions at the same time or later. ` +
        '"rejected retry PARTITION/OFFSET" sends one of them nevertheless.',
    );
  }
}
