import { createRefusalList } from '../../administration/catalogue/refusal-list.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Place } from '../../kafka/writing/submissions-producer.ts';
import { showControls } from '../../schemas/show-controls.ts';
import type { Submission } from '../../schemas/submission.ts';
import { parseInteger } from '../../service/environment.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { nameSender } from '../../store/accounts/audit-log.ts';
import { formatRefusals, formatWarnings } from '../catalog/format-refusals.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createConfig, createKafkaConfig, type KafkaConfig } from '../config.ts';
import { currentActor } from '../database.ts';
import { withTotal } from '../progress.ts';
import { parseCount } from '../removals.ts';
import { parseReportPath } from '../report-file.ts';
import { createFollower, type Follower } from '../submit/create-follower.ts';
import { openSubmissionFiles } from '../submit/find-files.ts';
import { readSubmissions, type SubmissionFile } from '../submit/read-submissions.ts';
import { submitAll } from '../submit/submit-all.ts';
import { isTable, submitTable, type TableFlags } from '../submit/table/submit-table.ts';
import { count } from '../table.ts';
import { refuseTableOption } from '../table-option.ts';

const HOW_TO_FIND_OUT =
  'They are applied in the background: "npm run ops -- lag" shows how many wait, and "npm run ops -- rejected list" ' +
  'those that were rejected. --wait waits for them.';

const EXAMPLES = `
Examples:
  npm run ops -- submit data/endorsements.ndjson
  npm run ops -- submit --election or-2026-11-03-general --dry-run list.csv
  npm run ops -- submit --wait --timeout 600 data/endorsements.ndjson
  generate-endorsements | npm run ops -- submit -`;

interface SubmitFlags extends TableFlags {
  skipRefused?: boolean;
  wait?: boolean;
  /** In seconds. */
  timeout?: number;
}

/** `submit PATH... [--skip-refused] [--wait [--timeout SECONDS]]`, with further options for a table. */
export const define: DefineCommand = (command, io) => {
  const collect = (value: string, before: string[] = []) => [...before, value];
  command
    .argument(
      '<paths...>',
      'files of endorsements, folders with an endorsements.ndjson, or - for standard input; or one table, .csv or .tsv',
    )
    .option('--skip-refused', 'leave refused lines or rows out and send the others')
    .option('--wait', 'wait until all of it is applied, and report the outcome')
    .option('--timeout <seconds>', 'the longest wait; without it, there is no limit', parseTimeout)
    .optionsGroup('Options of tables:')
    .option('--map <column=field>', 'the field of a column; repeat it for others', collect)
    .option('--endorser <name>', 'the endorser of all rows')
    .option('--election <name>', 'the election of all rows: its slug, name or date')
    .option('--accept-close', 'send close matches too')
    .option('--review <file>', 'where to write the rows that need a decision')
    .option('--account <name>', 'the account whose decisions are used and remembered')
    .option('--dry-run', 'say what would be created, changed and withdrawn; send nothing')
    .option('--replace', "withdraw what the endorsers' rows lack in their elections")
    .option('--allow-removals <n>', 'with --replace, even if it withdraws up to this many', parseCount)
    .option('--report <file>', 'write a report for people (.html) or programs (.json)', parseReportPath)
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], flags: SubmitFlags) => submit(io, paths, flags));
};

const TABLE_FLAGS: readonly (keyof TableFlags)[] = [
  'map',
  'endorser',
  'election',
  'acceptClose',
  'review',
  'account',
  'dryRun',
  'replace',
  'allowRemovals',
  'report',
];

const parseTimeout = (text: string) => parseInteger('--timeout', text, { min: 1, max: 999_999 });

/** @throws OperatorError, UnfinishedError as the functions below do, or if the options do not fit the paths */
async function submit(io: CommandIo, paths: string[], flags: SubmitFlags): Promise<void> {
  if (flags.timeout !== undefined && !flags.wait) {
    throw new OperatorError('--timeout is of use only with --wait.');
  }
  const [table, ...others] = paths;
  if (table !== undefined && paths.some(isTable)) {
    if (others.length > 0) throw new OperatorError('A table is sent alone: name one table, or no table.');
    if (flags.allowRemovals !== undefined && !flags.replace) {
      throw new OperatorError('--allow-removals is of use only with --replace.');
    }
    return submitOneTable(io, table, flags);
  }
  const given = TABLE_FLAGS.find((name) => flags[name] !== undefined);
  if (given !== undefined) {
    const option = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw refuseTableOption(option);
  }
  return submitFiles(io, paths, flags);
}

async function submitOneTable(io: CommandIo, file: string, flags: SubmitFlags): Promise<void> {
  const config = createConfig(readEnv(io.env));
  const follower = flags.wait && !flags.dryRun ? await createFollower(config, io, flags.timeout) : null;
  const target = { databaseUrl: config.databaseUrl, file, skipRefused: flags.skipRefused ?? false };
  const send = createSend(io, config, follower);
  const isSent = await submitTable(io, target, flags, send);
  if (!isSent) return;
  if (follower) await follower.follow();
  else io.err(HOW_TO_FIND_OUT);
}

/** Creates a function that sends submissions with a progress bar, until Ctrl-C. */
function createSend(io: CommandIo, { brokers, topicPrefix }: KafkaConfig, follower: Follower | null) {
  const topic = topicNames(topicPrefix).submissions;
  const onSent = (places: readonly Place[]) => follower?.sent.add(places);
  return (submissions: AsyncIterable<Submission>, total: number): Promise<number> =>
    withTotal(io.terminal, 'Sending', total, async (onProgress) => {
      const sender = nameSender('ops submit', currentActor());
      const controller = new AbortController();
      const restore = io.onInterrupt(() => controller.abort());
      const interrupted = controller.signal;
      const options = { brokers, topic, submissions, sender, onSent, onProgress, interrupted };
      const sent = await submitAll(options).finally(restore);
      follower?.listen();
      return sent;
    });
}

/**
 * Checks every line of every file, and then sends the submissions.
 *
 * @throws OperatorError if a path or a server cannot be used, if there are no lines, if a line is refused without
 * `skipRefused`, or if a submission is rejected during the wait
 * @throws UnfinishedError if the wait ends before everything is applied
 */
async function submitFiles(
  io: CommandIo,
  paths: string[],
  { skipRefused = false, wait = false, timeout }: SubmitFlags,
): Promise<void> {
  const env = readEnv(io.env);
  const both = wait ? createConfig(env) : null;
  const config = both ?? createKafkaConfig(env);
  await using opened = await openSubmissionFiles(paths, io.stdin);
  const { files, notRead } = opened;
  if (notRead.length > 0)
    io.err(`Skipped, since they are not called endorsements.ndjson: ${showControls(notRead.join(', '))}.`);

  const now = io.now().getTime();
  const { good, bad } = await check(files, io, now);
  if (good === 0 && bad === 0) {
    throw new OperatorError(
      'Nothing was sent, because there were no lines: each line has a submission as JSON.',
    );
  }
  if (bad > 0 && !skipRefused) {
    throw new OperatorError('Nothing was sent. --skip-refused sends the other lines.');
  }
  const follower = both && (await createFollower(both, io, timeout));
  const sent = await createSend(io, config, follower)(readChecked(files, good, now), good);
  io.out(`${count(sent)} submissions sent`);
  if (bad > 0) io.err('The refused lines were left out, as --skip-refused asks.');
  if (follower) await follower.follow();
  else io.err(HOW_TO_FIND_OUT);
}

/** Counts valid lines and the problems of the others, and prints the problems and warnings. */
async function check(
  files: SubmissionFile[],
  io: CommandIo,
  now: number,
): Promise<{ good: number; bad: number }> {
  const refusals = createRefusalList();
  const warnings = createRefusalList();
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const good = await withTotal(io.terminal, 'Checking', bytes, async (onBytes) => {
    let read = 0;
    for await (const _ of readSubmissions(files, { refusals, warnings, now, onBytes })) read += 1;
    return read;
  });
  for (const line of [...formatWarnings(warnings), ...formatRefusals(refusals)]) io.err(line);
  return { good, bad: refusals.total };
}

/** The submissions of checked files. @throws OperatorError if the number of valid lines has changed */
async function* readChecked(
  files: SubmissionFile[],
  expected: number,
  now: number,
): AsyncGenerator<Submission> {
  let read = 0;
  const options = { refusals: createRefusalList(0), warnings: createRefusalList(0), now };
  for await (const submission of readSubmissions(files, options)) {
    read += 1;
    yield submission;
  }
  if (read !== expected) {
    const counts = `${count(expected)} good lines when they were checked, and ${count(read)} now`;
    throw new OperatorError(
      `The files changed while they were sent: they had ${counts}. Sending them again is safe.`,
    );
  }
}
