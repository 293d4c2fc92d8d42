/** The receivers of docs/webhooks.md, exactly as printed there, get messages as the service sends them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import getPort from 'get-port';
import { createSender } from '../../consumers/deliver/send.ts';
import { generateWebhookSecret, signMessage } from '../../schemas/webhook-signature.ts';
import { installPythonPackages } from '../helpers/clients/python.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { until } from '../helpers/until.ts';
import { useFolder } from '../helpers/use-folder.ts';

const PATIENCE_MS = 180_000;
const GO_MODULE = 'github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1';
const run = promisify(execFile);
const inFolder = useFolder();
const guide = await readFile('docs/webhooks.md', 'utf8');
const python = await installPythonPackages();
const go = findProgram('go');
let receiver: ChildProcess | undefined;
afterEach(() => void receiver?.kill('SIGKILL'));

const programIn = (language: string) =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? '';

const MESSAGES = [
  {
    type: 'endorsements.changed',
    data: { events: [{ id: 'e1', type: 'endorsement.created', name: 'Sí' }], cursor: 'c' },
  },
  { type: 'webhook.test', data: { webhook_id: 1 } },
  { type: 'something.new', data: {} },
];

/** Starts a receiver, and sends it good and bad messages, and a cut one. */
async function expectToReceive(command: string, args: string[]): Promise<void> {
  const secret = generateWebhookSecret();
  const port = await getPort();
  let output = '';
  receiver = spawn(command, args, {
    cwd: path.dirname(inFolder('x')),
    env: { ...process.env, NODE_OPTIONS: '', WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  receiver.stdout?.on('data', (bytes) => {
    output += bytes;
  });
  const sender = createSender({ allowPrivate: true, proxy: null });
  const { signal } = new AbortController();
  const send = (message: object, signedBy = secret, seconds = Math.floor(Date.now() / 1000)) => {
    const body = Buffer.from(JSON.stringify(message));
    const headers = signMessage({ id: 'msg_1', timestamp: seconds, body }, [signedBy]);
    return sender.send({ url: `http://127.0.0.1:${port}/`, headers, body, signal });
  };
  await until(
    'the receiver listens',
    async () => (await send({ type: 'webhook.test' })).status === 204,
    PATIENCE_MS,
  );
  for (const message of MESSAGES) expect((await send(message)).outcome).toBe('delivered');
  await until('the event is printed', () => output === 'e1 endorsement.created\n');
  const old = Math.floor(Date.now() / 1000) - 3600;
  expect((await send(MESSAGES[0] as object, generateWebhookSecret())).status).toBe(401);
  expect((await send(MESSAGES[0] as object, secret, old)).status).toBe(401);
  const foreign = { headers: {}, body: Buffer.from([0xff, 0xfe, 0x00]), signal };
  const refused = await sender.send({ url: `http://127.0.0.1:${port}/`, ...foreign });
  expect([400, 401]).toContain(refused.status);
  expect(output).toBe('e1 endorsement.created\n');
  const cut = connect(port, '127.0.0.1');
  cut.write('POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: 100\r\n\r\nhalf', () => cut.destroy());
  await once(cut, 'close');
  for (const message of MESSAGES) expect((await send(message)).outcome).toBe('delivered');
  sender.close();
}

test('in TypeScript', async () => {
  const file = inFolder('receiver.ts');
  await writeFile(file, programIn('ts'));
  await writeFile(inFolder('package.json'), '{ "type": "module" }');
  if (!existsSync(inFolder('node_modules')))
    await symlink(path.resolve('node_modules'), inFolder('node_modules'));
  await expectToReceive(process.execPath, [file]);
});

(python === null ? test.skip : test)(
  'in Python',
  async () => {
    const file = inFolder('receiver.py');
    await writeFile(file, programIn('python'));
    await expectToReceive(path.join(String(python), 'python'), [file]);
  },
  PATIENCE_MS,
);

/** Builds the receiver in Go; null if the module cannot be had. */
async function buildGo(): Promise<string | null> {
  if (go === null) return null;
  const folder = path.resolve('.cache', 'webhook-receiver-go');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'main.go'), programIn('go'));
  try {
    if (!existsSync(path.join(folder, 'go.mod'))) await run(go, ['mod', 'init', 'receiver'], { cwd: folder });
    await run(go, ['get', GO_MODULE], { cwd: folder });
    await run(go, ['build', '-o', 'receiver', '.'], { cwd: folder });
    return path.join(folder, 'receiver');
  } catch (error) {
    if (!/cannot|dial|lookup|proxy|timeout/i.test(String((error as Error).message))) throw error;
    process.stderr.write('The receiver in Go is not tested: its module cannot be fetched.\n');
    return null;
  }
}

const built = await buildGo();
(built === null ? test.skip : test)('in Go', () => expectToReceive(String(built), []), PATIENCE_MS);
