import { parseArgs } from 'node:util';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Submission } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { startProgress } from '../catalog/progress.ts';
import { count, createRefusalList, formatRefusals } from '../catalog/refusal-list.ts';
import type { CommandIo } from '../command.ts';
import { createKafkaConfig, readEnv } from '../config.ts';
import { openSubmissionFiles } from '../submit/find-files.ts';
import { readSubmissions, type SubmissionFile } from '../submit/read-submissions.ts';
import { submitAll } from '../submit/submit-all.ts';

const USAGE = 'Usage: npm run ops -- submit PATH... [--skip-refused]   (- is standard input)';

/**
 * `submit PATH...`: checks every line of every file, a folder standing for the `endorsements.ndjson` in it, and only
 * then produces the submissions to Kafka. Exit status 1 and nothing sent when a line is refused, unless
 * `--skip-refused` is given.
 *
 * @throws OperatorError for arguments, files and brokers that are not right.
 */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const { names, skipRefused } = readArguments(args);
  const { brokers, topicPrefix } = createKafkaConfig(readEnv(io.env));
  await using opened = await openSubmissionFiles(names, io.stdin);
  const { files, notRead } = opened;
  if (notRead.length > 0)
    io.err(`Not read, for they are not called endorsements.ndjson: ${notRead.join(', ')}.`);

  const { good, bad } = await check(files, io);
  if (bad > 0 && !skipRefused) {
    io.err('Nothing was sent. --skip-refused sends the other lines.');
    return 1;
  }
  const progress = startProgress(io.terminal, 'Sending', good);
  let sent: number;
  try {
    const topic = topicNames(topicPrefix).submissions;
    const submissions = readChecked(files, good);
    sent = await submitAll({ brokers, topic, submissions, onProgress: progress.advance });
  } finally {
    progress.stop();
  }
  io.out(`${count(sent)} submissions sent`);
  if (bad > 0) io.err('The refused lines were left out, as --skip-refused asks.');
  return 0;
}

function readArguments(args: string[]): { names: string[]; skipRefused: boolean } {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'skip-refused': { type: 'boolean', default: false } },
    });
    if (positionals.length > 0) return { names: positionals, skipRefused: values['skip-refused'] };
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
  throw new OperatorError(USAGE);
}

/** How many lines can be sent, and how many problems the others have, which are printed. */
async function check(files: SubmissionFile[], io: CommandIo): Promise<{ good: number; bad: number }> {
  const refusals = createRefusalList();
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = startProgress(io.terminal, 'Checking', bytes);
  let good = 0;
  try {
    for await (const _ of readSubmissions(files, refusals, progress.advance)) good += 1;
  } finally {
    progress.stop();
  }
  for (const line of formatRefusals(refusals.kept, refusals.total)) io.err(line);
  return { good, bad: refusals.total };
}

/** The submissions that were counted before. */
async function* readChecked(files: SubmissionFile[], expected: number): AsyncGenerator<Submission> {
  let read = 0;
  for await (const submission of readSubmissions(files, createRefusalList(0))) {
    read += 1;
    yield submission;
  }
  if (read !== expected) {
    const counts = `${count(expected)} good lines at first and ${count(read)} then`;
    throw new OperatorError(
      `The files changed while they were sent: they had ${counts}. Sending them again is safe.`,
    );
  }
}
