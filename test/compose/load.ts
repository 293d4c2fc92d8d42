/**
 * The load of rolling-restart.ts, in a container of the service's image. It repeatedly gives the first picks of a file
 * of submissions new statements, so that every submission is a change. It ends with standard input, and then prints the
 * number of sent submissions. A failed batch is sent again.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicNames } from '../../kafka/topic-names.ts';
import { openProducer } from '../../kafka/writing/submissions-producer.ts';
import { createKafkaConfig } from '../../ops/config.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { parseSubmission } from '../../schemas/submission-files.ts';

const BATCH = 10;
const EVERY_MS = 200;
const [file = ''] = process.argv.slice(2);

let ending = false;
process.stdin.on('end', () => {
  ending = true;
});
process.stdin.resume();

const parsed = (await readFile(file, 'utf8'))
  .trim()
  .split('\n')
  .map((line) => parseSubmission(JSON.parse(line)));
const submissions = parsed.flatMap((each) => (each.ok ? [each.value] : []));
const { brokers, topicPrefix } = createKafkaConfig(process.env);
const producer = await openProducer(brokers, topicNames(topicPrefix).submissions);
let sent = 0;
let repeated = 0;
while (!ending) {
  const batch = Array.from({ length: BATCH }, (_, index) => {
    const submission = submissions[(sent + index) % submissions.length];
    if (submission === undefined) throw new Error(`${file} has no submissions.`);
    const [first, ...rest] = submission.picks;
    const picks = first ? [{ ...first, statement: `Statement ${sent + index}.` }, ...rest] : [];
    return { key: submission.endorser, value: submissionCodec.encode({ ...submission, picks }) };
  });
  try {
    await producer.send(batch);
    sent += batch.length;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    repeated += 1;
  }
  await sleep(EVERY_MS);
}
await producer.close();
process.stdout.write(`${JSON.stringify({ sent, repeated })}\n`);
