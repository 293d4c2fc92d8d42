import { topicNames } from '../../kafka/topic-names.ts';
import type { Submission } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { startProgress } from '../catalog/progress.ts';
import { createRefusalList, formatRefusals } from '../catalog/refusal-list.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createKafkaConfig, readEnv } from '../config.ts';
import { openSubmissionFiles } from '../submit/find-files.ts';
import { readSubmissions, type SubmissionFile } from '../submit/read-submissions.ts';
import { submitAll } from '../submit/submit-all.ts';
import { count } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- submit data/endorsements.ndjson
  generate-endorsements | npm run ops -- submit -`;

/** `submit PATH... [--skip-refused]`. */
export const define: DefineCommand = (command, io) => {
  command
    .argument(
      '<paths...>',
      'files of endorsements, folders with an endorsements.ndjson, or - for standard input',
    )
    .option('--skip-refused', 'leave refused lines out and send the others')
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], { skipRefused = false }: { skipRefused?: boolean }) =>
      submit(io, paths, skipRefused),
    );
};

/**
 * Checks every line of every file, and only then sends the submissions.
 *
 * @throws OperatorError if a path or the brokers cannot be used, or if a line is refused and `skipRefused` is not set
 */
async function submit(io: CommandIo, paths: string[], skipRefused: boolean): Promise<void> {
  const { brokers, topicPrefix } = createKafkaConfig(readEnv(io.env));
  await using opened = await openSubmissionFiles(paths, io.stdin);
  const { files, notRead } = opened;
  if (notRead.length > 0)
    io.err(`Skipped, since they are not called endorsements.ndjson: ${notRead.join(', ')}.`);

  const { good, bad } = await check(files, io);
  if (bad > 0 && !skipRefused) {
    throw new OperatorError('Nothing was sent. --skip-refused sends the other lines.');
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
}

/** Counts the lines that can be sent and the problems of the others, and prints the problems. */
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
  for (const line of formatRefusals(refusals)) io.err(line);
  return { good, bad: refusals.total };
}

/**
 * The submissions of files that were checked before.
 *
 * @throws OperatorError if the files have another number of good lines now
 */
async function* readChecked(files: SubmissionFile[], expected: number): AsyncGenerator<Submission> {
  let read = 0;
  for await (const submission of readSubmissions(files, createRefusalList(0))) {
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
