import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { createKafkaClient } from '../../kafka/connection/client.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { type Submission, submissionCodec } from '../../schemas/submission.ts';
import { plaintextBrokers } from '../../service/brokers.ts';
import { ndjson } from '../helpers/ballots/catalogue-records.ts';
import { pick } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { createFolder } from '../helpers/folder.ts';
import { createTopic } from '../helpers/kafka/topics.ts';
import { listen } from '../helpers/servers/listen.ts';
import { testServers } from '../helpers/servers/servers.ts';
import { INHERITED_ENV } from '../helpers/service/inherited-env.ts';
import { startProcess } from '../helpers/service/process.ts';

const run = createRunner('submit');

const { brokers } = testServers();
const topicPrefix = `${randomUUID()}.`;
const { submissions: topic } = topicNames(topicPrefix);
let folder: Awaited<ReturnType<typeof createFolder>> | undefined;

beforeAll(async () => {
  await withAdmin(brokers, (admin) => createTopic(admin, { topic, numPartitions: 3, replicationFactor: 1 }));
});
afterEach(async () => folder?.remove());

const HOW_TO_FIND_OUT = expect.stringContaining('They are applied in the background');
const CONTEST = 'or-2026-11-03-general/mayor';
const record = (endorser: string, choice: string) => ({ endorser, contest: CONTEST, choice });

async function endOffsets(): Promise<number> {
  const offsets = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  return offsets.reduce((sum, { high }) => sum + Number(high), 0);
}

async function submit(args: string[], { stdin = '', servers = brokers, now = new Date() } = {}) {
  const env = { KAFKA_BROKERS: servers.addresses.join(','), TOPIC_PREFIX: topicPrefix };
  const io = createIo(env, { stdin, now });
  const status = await run(args, io);
  return { status, printed: io.printed, told: io.told };
}

interface Received {
  partition: number;
  key: string;
  submission: Submission;
  sender: string;
}

/** The next `count` messages from the beginning, after the first `skip`. */
async function receive(total: number): Promise<Received[]> {
  const consumer = createKafkaClient({ brokers, clientId: 'test' }).consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const received: Received[] = [];
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        async eachMessage({ partition, message }) {
          const submission = submissionCodec.decode(message.value ?? Buffer.alloc(0));
          const sender = String(message.headers?.submitted_by);
          received.push({ partition, key: String(message.key), submission, sender });
          if (received.length === total) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return received;
}

test('files and standard input are sent in their order, keyed by endorser', async () => {
  folder = await createFolder({
    'a.ndjson': ndjson([record('ann-club', 'a1'), record('bob-club', 'b1'), record('ann-club', 'a2')]),
  });
  const stdin = ndjson([{ ...record('ann-club', 'a2'), action: 'withdraw' }]);
  const result = await submit([folder.file('a.ndjson'), '-'], { stdin });
  expect(result).toEqual({ status: 0, printed: ['4 submissions sent'], told: [HOW_TO_FIND_OUT] });

  const received = await receive(4);
  expect(new Set(received.map(({ sender }) => sender))).toEqual(
    new Set([expect.stringMatching(/^ops submit by \S+$/)]),
  );
  const of = (key: string) => received.filter((message) => message.key === key);
  expect(of('ann-club').map(({ submission }) => [submission.action, submission.picks[0]?.choice])).toEqual([
    ['endorse', 'a1'],
    ['endorse', 'a2'],
    ['withdraw', 'a2'],
  ]);
  expect(new Set(of('ann-club').map(({ partition }) => partition)).size).toBe(1);
  expect(of('bob-club')).toHaveLength(1);
});

test('a folder stands for its endorsements.ndjson, and its other files are named', async () => {
  folder = await createFolder({
    'endorsements.ndjson': ndjson([record('ann-club', 'a1'), record('bob-club', 'b1')]),
    'contests.ndjson': '',
    'more.ndjson.gz': '',
    'withdrawn\u001b[2J-endorsements.ndjson': 'no JSON',
    'README.md': '',
  });
  const before = await endOffsets();
  const { dir, file } = folder;
  const { status, printed, told } = await submit([dir, file('endorsements.ndjson')]);
  expect([status, printed]).toEqual([0, ['2 submissions sent']]);
  expect(told).toEqual([
    `Skipped, since they are not called endorsements.ndjson: ${['contests.ndjson', 'more.ndjson.gz'].map(file).join(', ')}, ${file('withdrawn\\u001b[2J-endorsements.ndjson')}.`,
    HOW_TO_FIND_OUT,
  ]);
  expect(await endOffsets()).toBe(before + 2);
  await expect(submit([file('more.ndjson.gz')])).rejects.toThrow(
    /more\.ndjson\.gz is compressed: unpack it first/,
  );
});

test('one bad line in the last file stops everything before anything is sent', async () => {
  folder = await createFolder({
    'a.ndjson': ndjson([record('ann-club', 'a1')]),
    'b.ndjson': `${ndjson([record('ann-club', 'a2')])}{"endorser":"x"\n`,
  });
  const before = await endOffsets();
  const io = createIo({ KAFKA_BROKERS: brokers.addresses.join(','), TOPIC_PREFIX: topicPrefix });
  const status = await runToExit(run, [folder.file('a.ndjson'), folder.file('b.ndjson')], io);
  expect(status).toBe(1);
  expect(io.told).toEqual([
    expect.stringContaining('b.ndjson:2: is not JSON'),
    'Nothing was sent. --skip-refused sends the other lines.',
  ]);
  expect(await endOffsets()).toBe(before);
});

test.each([
  ['grows', 3],
  ['shrinks', 1],
])('a file that %s after it was checked is reported', async (_, now) => {
  const late = { ...record('ann-club', 'a2'), published_on: '2026-11-04' };
  folder = await createFolder({ 'a.ndjson': ndjson([record('ann-club', 'a1'), late]) });
  const file = folder.file('a.ndjson');
  const env = { KAFKA_BROKERS: brokers.addresses.join(','), TOPIC_PREFIX: topicPrefix };
  const io = createIo(env, { now: new Date('2026-11-05T12:00:00Z') });
  const change = () => writeFileSync(file, ndjson(Array(now).fill(record('ann-club', 'a1'))));
  // A warning is printed between the check and the sending.
  await expect(run([file], { ...io, err: change })).rejects.toThrow(
    `The files changed while they were sent: they had 2 good lines when they were checked, and ${now} now. Sending them again is safe.`,
  );
});

test('with --skip-refused the other lines are sent, and the bad line is named', async () => {
  const stdin = ndjson([record('ann-club', 'a1'), { ...record('ann-club', 'a2'), rank: -1 }]);
  const before = await endOffsets();
  const { status, printed, told } = await submit(['-', '--skip-refused'], { stdin });
  expect([status, printed]).toEqual([0, ['1 submissions sent']]);
  expect(told[0]).toBe(
    `standard input:2: field rank: must be a whole number from 1 to 2147483647, is -1 (ann-club in ${CONTEST}: a2)`,
  );
  expect(await endOffsets()).toBe(before + 1);
  const none = await submit(['-', '--skip-refused'], { stdin: '7\n' });
  expect([none.printed, none.told[0]]).toEqual([
    ['0 submissions sent'],
    'standard input:1: is not a JSON object',
  ]);
});

test('an interrupted program leaves no copy of standard input behind', async () => {
  folder = await createFolder({});
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const KAFKA_BROKERS = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, ['ops/main.ts', 'submit', '-'], {
    env: { ...INHERITED_ENV, DATA_DIR: '/nowhere', KAFKA_BROKERS, TMPDIR: folder.dir },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(ndjson([record('ann-club', 'a1')]));
  const [socket] = await once(server, 'connection');
  child.kill('SIGKILL');
  await once(child, 'exit');
  socket.destroy();
  expect(await readdir(folder.dir)).toEqual([]);
});

test('an inexact number in details stops everything, and an exact one is sent', async () => {
  const line = (details: string) =>
    ndjson([record('ann-club', 'a1')]).replace(/\}\n$/, `,"details":${details}}\n`);
  const before = await endOffsets();
  const io = createIo({ KAFKA_BROKERS: brokers.addresses.join(','), TOPIC_PREFIX: topicPrefix });
  folder = await createFolder({ 'a.ndjson': line('{"id":9007199254740993}') });
  expect(await runToExit(run, [folder.file('a.ndjson')], io)).toBe(1);
  expect(io.told[0]).toContain('a.ndjson:1: field details.id: must be a number that can be kept exactly');
  expect(await endOffsets()).toBe(before);
  expect(await submit(['-'], { stdin: line('{"id":9007199254740992}') })).toMatchObject({ status: 0 });
  expect(await endOffsets()).toBe(before + 1);
});

test('a source that is not a URL is sent, and the service rejects it', async () => {
  const before = await endOffsets();
  const stdin = ndjson([{ ...record('ann-club', 'a1'), source_url: 'Private e-mail' }]);
  const { status, printed } = await submit(['-'], { stdin });
  expect([status, printed]).toEqual([0, ['1 submissions sent']]);
  expect(await endOffsets()).toBe(before + 1);
});

test("submissions beyond a broker's limit are sent in several batches", async () => {
  const statement = 'x'.repeat(20_000);
  async function* submissions(): AsyncGenerator<Submission> {
    for (let index = 0; index < 200; index += 1) {
      const picks = [pick(`c${index}`, { statement })];
      yield { action: 'endorse', endorser: 'ann-club', contest: CONTEST, picks };
    }
  }
  const before = await endOffsets();
  const progress: number[] = [];
  const sent = await submitAll({
    brokers,
    topic,
    submissions: submissions(),
    onProgress: (count) => progress.push(count),
  });
  expect(sent).toBe(200);
  expect(progress.length).toBeGreaterThan(2);
  expect(new Set(progress.slice(0, -1)).size).toBe(1);
  expect(progress.reduce((a, b) => a + b)).toBe(200);
  expect(await endOffsets()).toBe(before + 200);
});

test('a missing topic is reported and not created', async () => {
  const missing = `${randomUUID()}.missing`;
  await expect(submitAll({ brokers, topic: missing, submissions: [] })).rejects.toThrow(
    `There is no topic ${missing}: "npm run ops -- topics apply" creates it. Nothing was sent.`,
  );
  expect(await withAdmin(brokers, (admin) => admin.listTopics())).not.toContain(missing);
});

test('brokers that cannot be reached are reported in one sentence', async () => {
  const stdin = ndjson([record('ann-club', 'a1')]);
  await expect(submit(['-'], { stdin, servers: plaintextBrokers(['127.0.0.1:1']) })).rejects.toThrow(
    /^Kafka at 127\.0\.0\.1:1 does not take the submissions: .* Nothing was acknowledged\.$/,
  );
});

test('when sending breaks off, the message has the number of acknowledged submissions', async () => {
  const good: Submission = { action: 'position', endorser: 'ann-club', contest: CONTEST, picks: [] };
  const unknown = { ...good, action: 'endorse' as const, contest: 'x'.repeat(2_000_000) };
  const submissions = [...Array.from({ length: 1_000 }, () => good), unknown];
  await expect(submitAll({ brokers, topic, submissions })).rejects.toThrow(
    /The first 1,000 submissions were acknowledged; sending all of them again is safe\.$/,
  );
});

test('Ctrl-C ends sending, and the message has the number of acknowledged submissions', async () => {
  const good: Submission = { action: 'position', endorser: 'ann-club', contest: CONTEST, picks: [] };
  const submissions = Array.from({ length: 3_000 }, () => good);
  const controller = new AbortController();
  const onSent = () => controller.abort();
  await expect(
    submitAll({ brokers, topic, submissions, onSent, interrupted: controller.signal }),
  ).rejects.toMatchObject({
    name: 'UnfinishedError',
    message:
      'You pressed Ctrl-C. The first 1,000 submissions were acknowledged; sending all of them again is safe.',
  });
});

test('Ctrl-C ends "submit" although the brokers are silent', async () => {
  folder = await createFolder({ 'a.ndjson': ndjson([record('ann-club', 'a1')]) });
  await using server = createServer();
  const KAFKA_BROKERS = `127.0.0.1:${await listen(server)}`;
  const program = startProcess('ops/main.ts', { DATA_DIR: '/nowhere', KAFKA_BROKERS }, [
    'submit',
    folder.file('a.ndjson'),
  ]);
  const [socket] = await once(server, 'connection');
  await program.kill('SIGINT');
  socket.destroy();
  expect(program.output()).toBe('You pressed Ctrl-C. Nothing was acknowledged.\n');
  expect(program.exitCode()).toBe(2);
});

test.each([
  [[], /^Missing required argument 'paths'/],
  [['--all'], /^Unknown option '--all'/],
  [['-'], /^Nothing was sent, because there were no lines: each line has a submission as JSON\.$/],
  [['-', '-'], /^Standard input \(-\) can be read only once\.$/],
  [['/nowhere/x.ndjson'], /^There is no file or folder \/nowhere\/x\.ndjson\.$/],
  [['/'], /^The folder \/ has no file endorsements\.ndjson\.$/],
  [['/dev/null'], /^\/dev\/null is neither a file nor a folder; - reads standard input\.$/],
])('the arguments %j are refused', async (args, message) => {
  await expect(submit(args)).rejects.toThrow(message);
});

test('a line published later than tomorrow is refused, and one published after the election gets a warning', async () => {
  const now = new Date('2026-11-04T12:00:00Z');
  const published = (published_on: string) => ({ ...record('ann-club', 'a1'), published_on });
  const lines = ['2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06'].map(published);
  folder = await createFolder({ 'a.ndjson': ndjson(lines) });
  const before = await endOffsets();
  const about = (line: number, message: string) =>
    `${folder?.file('a.ndjson')}:${line}: field published_on: ${message} (ann-club in ${CONTEST}: a1)`;
  const warnings = [
    'Possible mistakes, which are sent all the same:',
    about(2, 'should not be after the election on 2026-11-03, is "2026-11-04"'),
    about(3, 'should not be after the election on 2026-11-03, is "2026-11-05"'),
  ];
  const refusal = about(4, 'must not be later than tomorrow, 2026-11-05, is "2026-11-06"');
  await expect(submit([folder.file('a.ndjson')], { now })).rejects.toThrow('Nothing was sent.');
  expect(await endOffsets()).toBe(before);
  const { printed, told } = await submit([folder.file('a.ndjson'), '--skip-refused'], { now });
  expect(printed).toEqual(['3 submissions sent']);
  expect(told).toEqual([...warnings, refusal, expect.stringContaining('left out'), HOW_TO_FIND_OUT]);
});
