import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { tokenSource } from '../../../kafka/connection/access-token.ts';
import type { TokenLogin } from '../../../service/brokers.ts';
import { startTokenServer, type TokenServer } from '../../helpers/servers/token-server.ts';

let server: TokenServer;

beforeAll(async () => {
  server = await startTokenServer();
});
afterAll(() => server.close());
afterEach(() => {
  jest.restoreAllMocks();
});

/** A login of a client whose secret is in a file. */
function logIn(secret: string) {
  const file = { secret };
  server.secrets.set('bot', 'first');
  const login: TokenLogin = {
    ...{ mechanism: 'OAUTHBEARER', tokenUrl: server.tokenUrl, clientId: 'bot', scope: null },
    clientSecret: { setting: 'KAFKA_OAUTH_CLIENT_SECRET', file: null, read: () => file.secret },
  };
  return { file, login, before: server.given };
}

test('clients share a token, also while it is asked for', async () => {
  const { login, before } = logIn('first');
  const tokens = await Promise.all([tokenSource(login)(), tokenSource(login)()]);
  expect(new Set([...tokens, await tokenSource(login)()]).size).toBe(1);
  expect(server.given).toBe(before + 1);
});

test('a secret that was replaced asks for a token of its own, although the former one still lives', async () => {
  const { file, login, before } = logIn('first');
  const source = tokenSource(login);
  await source();
  server.secrets.set('bot', 'second');
  file.secret = 'second';
  await source();
  expect(server.given).toBe(before + 2);
});

test.each([
  [60, 48],
  [10, 6.5],
])('a token that lives %d seconds is used for %d, so that none expires on its way', async (lives, used) => {
  const now = performance.now.bind(performance);
  let laterMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
  const { lifeSeconds } = server;
  server.lifeSeconds = lives;
  const { login, before } = logIn('first');
  await tokenSource(login)();
  server.lifeSeconds = lifeSeconds;
  laterMs = used * 1000 - 1000;
  await tokenSource(login)();
  expect(server.given).toBe(before + 1);
  laterMs = used * 1000;
  await tokenSource(login)();
  expect(server.given).toBe(before + 2);
});

test('a refusal is not kept: the next client asks again', async () => {
  const { file, login } = logIn('wrong');
  const source = tokenSource(login);
  await expect(source()).rejects.toThrow('refuses the client "bot"');
  file.secret = 'first';
  expect(await source()).not.toBe('');
});
