import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import Koa from 'koa';
import { AnswerBudget } from '../../../gateway/answers/answer-budget.ts';
import { boundAnswers } from '../../../gateway/answers/bound-answers.ts';
import { readJsonBody } from '../../../gateway/http/body.ts';
import { compressIfAccepted } from '../../../gateway/http/compression.ts';
import { encodeContent, sendContent } from '../../../gateway/http/content.ts';
import { handleErrors } from '../../../gateway/http/middleware/errors.ts';
import { RepeatedContent } from '../../../gateway/http/repeated-content.ts';
import { createHttpServer } from '../../../gateway/http/server.ts';
import { createLog } from '../../../service/log.ts';
import { until } from '../../helpers/until.ts';

const MB = 1024 * 1024;
/** Much more than the buffers of the kernel take. */
const SIZE = 32 * MB;
/** The bytes that a large body counts. */
const BODY = 384 * 1024;
const budget = new AnswerBudget({ bytes: 3 * SIZE, bytesOfAccount: 1.5 * SIZE, smallBytes: 1000 });
const large = encodeContent(Buffer.alloc(SIZE, 'x'));
const kept = RepeatedContent.copyOf(large);

const app = new Koa();
// Clients that leave are errors for Koa.
app.on('error', () => {});
app.use(handleErrors(createLog('test', 'silent')));
app.use(compressIfAccepted());
app.use((ctx, next) => {
  if (ctx.query.account) ctx.state.caller = { accountId: Number(ctx.query.account) };
  if (ctx.query.console) ctx.state.consoleShare = `console ${ctx.query.console}`;
  return next();
});
app.use(boundAnswers(budget));
app.use(async (ctx) => {
  if (ctx.path === '/left') await left(ctx.res);
  const sized = { ...large, pieces: [large.pieces[0] as Buffer] };
  if (ctx.path === '/body') ctx.body = await readJsonBody(ctx, (work) => work());
  else if (ctx.path === '/small') await sendContent(ctx, encodeContent('ok'));
  else await sendContent(ctx, ctx.path === '/kept' ? kept : sized);
  if (ctx.path === '/form') ctx.status = 401;
});
/** Waits until the client has left. */
async function left(response: ServerResponse): Promise<void> {
  makings += 1;
  await once(response, 'close');
  makings -= 1;
}
let makings = 0;
const server = createHttpServer(app.callback(), { headersTimeoutMs: 10_000, requestTimeoutMs: 10_000 });
const sockets: Socket[] = [];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await until('nothing is in flight', () => budget.bytes === 0);
});
afterAll(() => {
  server.close();
});

/** Sends a request. The answer is not read before the socket is. */
function send(path: string, headers = '', method = 'GET'): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`);
  socket.pause();
  sockets.push(socket);
  return socket;
}

const statusOf = async (socket: Socket) => Number((await text(socket)).slice(9, 12));

test('INV-15: an account that does not read has one large answer, and the others are answered', async () => {
  send('/large?account=1');
  await until('it is in flight', () => budget.bytes === SIZE);
  const refused = await text(send('/large?account=1'));
  expect(refused).toMatch(/^HTTP\/1\.1 429 /);
  expect(refused).toMatch(/\r\nretry-after: 2\r\n/i);
  expect(refused).toContain('"too_many_requests_in_flight"');
  expect(await statusOf(send('/small?account=1'))).toBe(200);
  expect(await statusOf(send('/large?account=2'))).toBe(200);
});

test('INV-15: the answer to a change is not refused, and counts', async () => {
  for (const method of ['GET', 'POST']) {
    send('/large?account=1', '', method);
    await until('it is in flight', () => budget.bytes === (method === 'GET' ? 1 : 2) * SIZE);
  }
  expect(await statusOf(send('/small?account=1', '', 'POST'))).toBe(429);
});

test('INV-15: bodies that are being received count for the share of their account, unless they are small', async () => {
  const packed = gzipSync(JSON.stringify({ name: 'x'.repeat(300_000) }));
  const sendBody = (account: number, body: Buffer, { sent = body.length, headers = '' } = {}) => {
    const type = 'Content-Type: application/json\r\n';
    const length = `Content-Length: ${body.length}\r\n`;
    const socket = send(`/body?account=${account}`, `${type}${headers}${length}`, 'POST');
    socket.write(body.subarray(0, sent));
    return socket;
  };
  const sendPacked = (account: number, sent?: number) =>
    sendBody(account, packed, { sent, headers: 'Content-Encoding: gzip\r\n' });
  // As many as fit into the share, all but the last byte of each.
  const held = Array.from({ length: (1.5 * SIZE) / BODY }, () => sendPacked(1, packed.length - 1));
  await until('they are in flight', () => budget.bytes === held.length * BODY);
  const answers = [sendPacked(1), sendPacked(2), sendBody(2, Buffer.from('{}'))];
  expect(await Promise.all(answers.map(statusOf))).toEqual([429, 200, 200]);
  const [first] = held as [Socket];
  first.write(packed.subarray(-1));
  expect(await statusOf(first)).toBe(200);
  expect(await statusOf(sendPacked(1))).toBe(200);
});

test('an answer without a body takes nothing of the share', async () => {
  send('/large?account=1');
  await until('it is in flight', () => budget.bytes === SIZE);
  expect(await statusOf(send('/large?account=1', '', 'HEAD'))).toBe(200);
  expect(budget.bytes).toBe(SIZE);
});

test('INV-15: clients without an account leave those with one their large answers', async () => {
  send('/form', '', 'POST');
  await until('it is in flight', () => budget.bytes === SIZE);
  expect(await statusOf(send('/form', '', 'POST'))).toBe(503);
  expect(await statusOf(send('/large'))).toBe(503);
  expect(await statusOf(send('/small'))).toBe(200);
  for (const path of ['/large?account=1', '/form?console=1'])
    expect(await statusOf(send(path))).not.toBe(503);
});

test('INV-15: the pages of an account have a share apart from that of its programs', async () => {
  send('/form?console=1', '', 'POST');
  await until('it is in flight', () => budget.bytes === SIZE);
  expect(await statusOf(send('/form?console=1', '', 'POST'))).toBe(429);
  expect(await statusOf(send('/small?console=1'))).toBe(200);
  for (const path of ['/form?console=2', '/large?account=1'])
    expect(await statusOf(send(path))).not.toBe(429);
});

test('INV-15: a client that leaves while its answer is made takes nothing of the share of its account', async () => {
  const leaving = send('/left?account=1');
  await until('it is being made', () => makings === 1);
  leaving.destroy();
  await until('it is made', () => makings === 0);
  expect(await statusOf(send('/large?account=1'))).toBe(200);
  await until('nothing is in flight', () => budget.bytes === 0);
});

test('INV-15: accounts that do not read leave large answers of others refused, and small ones answered', async () => {
  for (const account of [1, 2, 3]) send(`/large?account=${account}`);
  await until('the budget is used up', () => budget.bytes === 3 * SIZE);
  expect(await statusOf(send('/large?account=4'))).toBe(503);
  expect(await statusOf(send('/small?account=4'))).toBe(200);
});

test('an answer counts until it is taken, also compressed', async () => {
  const reader = send('/large?account=1', 'Accept-Encoding: gzip\r\n');
  await until('it is in flight', () => budget.bytes > 0);
  expect(await statusOf(reader)).toBe(200);
  await until('it is taken', () => budget.bytes === 0);
});

test('clients of the same kept answer share its bytes', async () => {
  for (const account of [1, 2, 3, 4, 5]) send(`/kept?account=${account}`);
  await until('all are in flight', async () => (await connections()) === 5);
  await until('it is in flight', () => budget.bytes > 0);
  expect(budget.bytes).toBe(SIZE);
});

test('a client that leaves frees its bytes', async () => {
  const socket = send('/large?account=1');
  await until('it is in flight', () => budget.bytes === SIZE);
  socket.destroy();
  await until('it is free', () => budget.bytes === 0);
});

const connections = () =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
