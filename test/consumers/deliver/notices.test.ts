import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { sendNotices } from '../../../consumers/deliver/notices.ts';
import { createLog } from '../../../service/log.ts';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await sendNotices({ query } as unknown as Pool, url, createLog('test', 'silent'));
  expect([...due]).toEqual([1]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
