/**
 * Follows the runbooks of docs/operations/recovery.md word by word: the commands come from the document. The test only
 * replaces the values of the first variables, and Ctrl-C is a SIGINT to npm.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { chooseRunner, inspectMachine } from '../../ops/local/servers/runner.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { StartTerminal } from '../helpers/commands/start-terminal.ts';
import { withClient } from '../helpers/postgres/with-client.ts';

const run = promisify(execFile);
/** Containers keep the data in Docker volumes, which the runbooks do not cover. */
const isEmbedded = chooseRunner(await inspectMachine()) === 'embedded';
const testEmbedded = isEmbedded ? test : test.skip;

const PRESS = '# Press Ctrl-C in the terminal of "npm start", and wait for "Stopped."';
const START = /^npm start(?: -- (.*))?$/;

let folder: string;
let terminal: StartTerminal;
let guide: string;

beforeAll(async () => {
  if (!isEmbedded) return;
  folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-runbook-'));
  terminal = await StartTerminal.open(path.join(folder, 'data'));
  terminal.env.BACKUP = path.join(folder, 'backup');
  guide = await readFile('docs/operations/recovery.md', 'utf8');
});
afterAll(async () => {
  if (!isEmbedded) return;
  await terminal.stop().catch(() => terminal.kill());
  await rm(folder, { recursive: true, force: true });
});

/** The lines of the fenced blocks under a heading, up to the next heading. */
function readCommands(heading: string): string[] {
  const [, after = ''] = guide.split(`\n${heading}\n`);
  const [section = ''] = after.split(/^#{2,4} /m);
  const blocks = [...section.matchAll(/^( *)```\n(.*?)^\1```$/gms)];
  const lines = blocks.flatMap(([, , block = '']) => block.split('\n').map((line) => line.trim()));
  const commands = lines.filter((line) => line !== '');
  if (commands.length === 0) throw new Error(`There are no commands under "${heading}".`);
  return commands;
}

/** Follows a runbook. @param atServers called while only the servers run */
async function follow(heading: string, atServers: () => Promise<void> = async () => {}): Promise<void> {
  for (const command of readCommands(heading)) {
    const start = START.exec(command);
    if (command === PRESS) {
      await terminal.stop();
      expect(terminal.output).toContain('Stopped.');
    } else if (start !== null) {
      await terminal.start(...(start[1] === undefined ? [] : ['--', start[1]]));
      if (start[1] === '--servers-only') await atServers();
    } else {
      await run('sh', ['-c', command], { env: terminal.env });
    }
  }
}

const submit = (statement: string) =>
  terminal.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement })]);

async function query<T extends pg.QueryResultRow>(sql: string): Promise<T[]> {
  return withClient(
    (await terminal.servers()).databaseUrl,
    async (client) => (await client.query<T>(sql)).rows,
  );
}

/** @throws the output of the command, if it finds a fault */
const checkStream = () => run('npm', ['run', 'ops', '--', 'stream', 'check'], { env: terminal.env });

const statements = async () => (await terminal.events()).map(({ endorsement }) => endorsement.statement);

async function expectExpired(cursor: string): Promise<void> {
  const { status, body } = await terminal.get(`/v1/events?cursor=${cursor}`);
  expect([status, body.error?.code]).toEqual([410, 'cursor_expired']);
}

testEmbedded(
  'INV-4: the runbooks of a restored Postgres and of an emptied Kafka work word by word under npm start',
  async () => {
    const variables = readCommands('## Before you begin');
    expect(variables).toEqual([
      expect.stringMatching(/^export DATA_DIR=\S+$/),
      expect.stringMatching(/^export BACKUP=\S+$/),
    ]);

    await terminal.start();
    await loadCatalogue((await terminal.servers()).databaseUrl, SMALL_BALLOT);
    await submit('In the backup');
    await terminal.eventsOnceTheyEndWith('In the backup');
    await follow('## A backup of Postgres');
    // A second backup with the same name would end up inside the first one, and a restoration would bring it back.
    const copy = readCommands('## A backup of Postgres').find((command) => command.includes('$BACKUP'));
    await expect(run('sh', ['-c', String(copy)], { env: terminal.env })).rejects.toThrow(/exists/);
    await submit('After the backup');
    await submit('Last before the loss');
    const lost = await terminal.eventsOnceTheyEndWith('After the backup', 'Last before the loss');
    expect(lost).toHaveLength(3);

    await follow('## A restored Postgres', async () => {
      // The database lacks changes that clients have seen.
      await expect(checkStream()).rejects.toMatchObject({
        stderr: expect.stringContaining('Kafka has published change 3, but the database ends at change 1'),
      });
    });
    await expectExpired(lost.at(-1)?.id);
    // Kafka still has the submissions since the backup.
    await terminal.eventsOnceTheyEndWith('After the backup', 'Last before the loss');
    await submit('After the restoration');
    const restored = await terminal.eventsOnceTheyEndWith('Last before the loss', 'After the restoration');
    await checkStream();

    const announced = await statements();
    await follow('## An emptied Kafka');
    expect(await query('SELECT generation::int AS generation FROM stream_generation')).toEqual([
      { generation: 3 },
    ]);
    expect(await statements()).toEqual(announced);
    const { status } = await terminal.get(`/v1/events?cursor=${restored.at(-1)?.id}`);
    expect(status).toBe(200);
    await submit('In the new Kafka');
    await terminal.eventsOnceTheyEndWith('In the new Kafka');
    const last = (await terminal.events()).at(-1);
    expect(await statements()).toEqual([...announced, 'In the new Kafka']);
    await checkStream();

    // Both servers are lost, so that nothing shows how old the backup is.
    await terminal.stop();
    for (const lost of ['kafka', 'kafka.lost', 'postgres.lost']) {
      await rm(path.join(folder, 'data', lost), { recursive: true });
    }
    await follow('## A restored Postgres');
    await expectExpired(last?.id);
    await submit('After both were lost');
    await terminal.eventsOnceTheyEndWith('After both were lost');
    await checkStream();
  },
  600_000,
);
