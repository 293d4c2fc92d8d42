import { allowInsecureRequests, Configuration, clientCredentialsGrant } from 'openid-client';
import type { TokenLogin } from '../../service/brokers.ts';
import { errorsWithin } from './rights.ts';

/** The token server gives no token. The message is a sentence. */
class TokenError extends Error {
  override name = 'TokenError';
}

/** The broker refuses a token. */
export class RefusedTokenError extends Error {
  override name = 'RefusedTokenError';
}

/** The used share of a token's life, so that no token expires on its way. */
const USED_SHARE = 0.8;
/**
 * How long before the end of a session kafkajs logs in again, in milliseconds. Brokers with
 * connections.max.reauth.ms end a session with its token.
 */
export const NEW_LOGIN_MS = 2000;
/**
 * The shortest useful life of a token after a login, in milliseconds. A broker refuses another login on the
 * connection for a second, but kafkajs would try one at once with a token that is about to expire.
 */
const LEAST_SESSION_MS = NEW_LOGIN_MS + 1500;
/** The life of a token if its server does not give one, in seconds. */
const DEFAULT_LIFE_SECONDS = 60;
const TIMEOUT_SECONDS = 5;

interface Kept {
  token: string;
  secret: string;
  /** By `performance.now()`. */
  until: number;
}

/** The process's tokens, shared by its clients. */
const sources = new WeakMap<TokenLogin, () => Promise<string>>();

/** Returns a function that gives a login's present token. */
export function tokenSource(login: TokenLogin): () => Promise<string> {
  const source = sources.get(login) ?? createSource(login);
  sources.set(login, source);
  return source;
}

function createSource(login: TokenLogin): () => Promise<string> {
  let kept: Kept | undefined;
  let asking: Promise<Kept> | undefined;
  return async () => {
    const secret = login.clientSecret.read();
    if (kept && kept.secret === secret && performance.now() < kept.until) return kept.token;
    asking ??= askForToken(login, secret).finally(() => {
      asking = undefined;
    });
    kept = await asking;
    return kept.token;
  };
}

/** @throws TokenError */
async function askForToken({ tokenUrl, clientId, scope }: TokenLogin, secret: string): Promise<Kept> {
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const config = new Configuration(server, clientId, secret);
  config.timeout = TIMEOUT_SECONDS;
  if (tokenUrl.startsWith('http:')) allowInsecureRequests(config);
  try {
    const answer = await clientCredentialsGrant(config, scope === null ? {} : { scope });
    const lifeMs = (answer.expires_in ?? DEFAULT_LIFE_SECONDS) * 1000;
    const usedMs = Math.min(lifeMs * USED_SHARE, lifeMs - LEAST_SESSION_MS);
    return { token: answer.access_token, secret, until: performance.now() + usedMs };
  } catch (cause) {
    throw new TokenError(describe(cause, tokenUrl, clientId), { cause });
  }
}

function describe(error: unknown, tokenUrl: string, clientId: string): string {
  const { error: refusal } = error as { error?: unknown };
  if (typeof refusal === 'string') {
    return (
      `The token server ${tokenUrl} refuses the client "${clientId}" (${refusal}): correct KAFKA_OAUTH_CLIENT_ID, ` +
      'KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE.'
    );
  }
  const reason = [...errorsWithin(error)].at(-1)?.message ?? String(error);
  return `The token server ${tokenUrl} gives no token (${reason}): correct KAFKA_OAUTH_TOKEN_URL, or start it.`;
}
