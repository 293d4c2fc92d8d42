import http from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { sendNotices } from '../../../consumers/deliver/notices.ts';
import { createLog } from '../../../service/log.ts';
import { listen } from '../../helpers/servers/listen.ts';

const log = createLog('test', 'silent');
const NEVER = new AbortController().signal;

test('a notice that is not accepted stays due, and holds up no other', async () => {
  const due = new Set([1, 2, 3]);
  const query = async (text: string, [id]: [number]) => {
    if (text.startsWith('UPDATE')) due.delete(id);
    return { rows: [...due].map((each) => ({ id: each, account: 'acme', people: [] })) };
  };
  const server = http.createServer(async (request, response) => {
    const { webhook } = (await json(request)) as { webhook: { id: number } };
    response.writeHead(webhook.id === 1 ? 500 : 202).end();
  });
  const url = new URL(`http://127.0.0.1:${await listen(server)}/`);
  await sendNotices({ query } as unknown as Pool, url, log, NEVER);
  expect([...due]).toEqual([1]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a notice says which webhook of which account was disabled and why, and follows no redirect', async () => {
  const due = new Map([[1, 'receiver_gone']]);
  const query = async (text: string, [id]: [number]) => {
    if (text.startsWith('UPDATE')) due.delete(id);
    return {
      rows: [...due].map(([each, reason]) => ({
        ...{
          id: each,
          reason,
          name: 'Ours',
          url: 'https://a.example/',
          account: 'acme',
          people: ['ann@a.org'],
        },
      })),
    };
  };
  const received: unknown[] = [];
  let status = 307;
  const server = http.createServer(async (request, response) => {
    received.push([request.method, request.url, request.headers['content-type'], await json(request)]);
    response.writeHead(status, { Location: '/elsewhere' }).end('ok');
  });
  const url = new URL(`http://127.0.0.1:${await listen(server)}/told`);
  const send = () => sendNotices({ query } as unknown as Pool, url, log, NEVER);
  await send();
  expect(due.size).toBe(1);
  status = 200;
  await send();
  expect(due.size).toBe(0);
  const webhook = { id: 1, name: 'Ours', url: 'https://a.example/', reason: 'receiver_gone' };
  const notice = { type: 'webhook.disabled', account: 'acme', people: ['ann@a.org'], webhook };
  expect(received).toEqual([1, 2].map(() => ['POST', '/told', 'application/json', notice]));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('notices end at once when the process stops, although their receiver is silent', async () => {
  const stopping = new AbortController();
  const query = async () => ({ rows: [1, 2].map((id) => ({ id, account: 'acme', people: [] })) });
  let received = 0;
  const server = http.createServer(() => {
    received += 1;
    stopping.abort();
  });
  const url = new URL(`http://127.0.0.1:${await listen(server)}/`);
  await sendNotices({ query } as unknown as Pool, url, log, stopping.signal);
  expect(received).toBe(1);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
