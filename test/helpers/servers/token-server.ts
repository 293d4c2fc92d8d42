import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

const KEY_ID = 'test';
const DEFAULT_LIFE_SECONDS = 300;

/** An OAuth 2.0 server that issues tokens as signed JWTs to clients with the right secret. */
export interface TokenServer {
  tokenUrl: string;
  /** The address of its public keys, for brokers. */
  jwksUrl: string;
  issuer: string;
  /** The secrets of the clients, by id. */
  secrets: Map<string, string>;
  /** The audience of the tokens. */
  audience: string;
  /** The lifetime of its tokens. */
  lifeSeconds: number;
  /** The number of issued tokens. */
  given: number;
  close(): Promise<void>;
}

/** Starts it on 127.0.0.1. */
export async function startTokenServer(): Promise<TokenServer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const http = createServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/jwks') {
      const key = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' };
      return answer(200, { keys: [key] });
    }
    return readClient(request).then(({ id, secret }) => {
      if (server.secrets.get(id) !== secret) return answer(401, { error: 'invalid_client' });
      server.given += 1;
      const seconds = Math.floor(Date.now() / 1000);
      const claims = {
        ...{ iss: server.issuer, aud: server.audience, sub: id, scope: 'kafka' },
        ...{ iat: seconds, exp: seconds + server.lifeSeconds },
      };
      const parts = [{ alg: 'RS256', kid: KEY_ID, typ: 'JWT' }, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      const signature = sign('sha256', Buffer.from(parts.join('.')), privateKey).toString('base64url');
      return answer(200, {
        access_token: [...parts, signature].join('.'),
        token_type: 'Bearer',
        expires_in: server.lifeSeconds,
      });
    });
  });
  const base = `http://127.0.0.1:${await listen(http)}`;
  const server: TokenServer = {
    tokenUrl: `${base}/token`,
    jwksUrl: `${base}/jwks`,
    issuer: base,
    secrets: new Map(),
    audience: 'kafka',
    lifeSeconds: DEFAULT_LIFE_SECONDS,
    given: 0,
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return server;
}

/** The client of a request, from HTTP Basic or the body. */
async function readClient(request: IncomingMessage): Promise<{ id: string; secret: string }> {
  const body = new URLSearchParams(await text(request));
  const [, encoded = ''] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? [];
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':').map(decodeURIComponent);
  return { id: body.get('client_id') ?? id, secret: body.get('client_secret') ?? secret };
}
