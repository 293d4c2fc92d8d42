import { jest } from '@jest/globals';
import { Feed } from '../../../feed/feed.ts';
import { AnswerBudget, createShareError } from '../../../gateway/answers/answer-budget.ts';
import type { Route } from '../../../gateway/http/route.ts';
import { RequestLimiter } from '../../../gateway/limits/request-limiter.ts';
import { generateApiKey } from '../../../schemas/api-key.ts';
import { formatCursor, parseCursor } from '../../../schemas/cursor.ts';
import type { ErrorCode } from '../../../schemas/errors.ts';
import { SCOPES } from '../../../schemas/vocabulary.ts';
import type { Answer, TestService } from '../service/service.ts';
import { addressOf, type ExampleRequest } from './example-requests.ts';

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
/** A fixed id for every request, so that the answers of two runs are equal. */
const REQUEST_ID = 'example-1';
const NOBODY = '00000000-0000-4000-8000-00000000ffff';

/** A valid request; a fault turns it into a refused one. */
export interface WorkingRequest {
  route: Route;
  request: ExampleRequest;
}

/** The differences of a request from a valid one. */
interface Fault {
  key?: string | null;
  /** More of the query, or other values of parameters. */
  parameters?: Record<string, string | number>;
  /** More of the query, whether or not the operation has such parameters. */
  search?: string;
  /** The bytes of the body. */
  body?: string;
  headers?: Record<string, string>;
}

/** Makes a service answer with each of its errors. */
export class ErrorProvoker {
  readonly #service: TestService;
  #accounts = 0;

  constructor(service: TestService) {
    this.#service = service;
  }

  /** Sends a request, with a fault if one is given. The answer of a stream is not read. */
  async send({ route, request }: WorkingRequest, fault: Fault = {}): Promise<Answer> {
    const changed = { ...request, parameters: { ...request.parameters, ...fault.parameters } };
    const address = addressOf(route, changed);
    const more = fault.search ? `${address.includes('?') ? '&' : '?'}${fault.search}` : '';
    const key = fault.key === undefined ? this.#service.key : fault.key;
    const body = fault.body ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const closing = new AbortController();
    const response = await fetch(this.#service.url(`${address}${more}`), {
      method: route.method,
      signal: closing.signal,
      headers: {
        'X-Request-Id': REQUEST_ID,
        ...(key !== null && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...fault.headers,
      },
      ...(body !== undefined && { body }),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const text = isStream ? '' : await response.text();
    closing.abort();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  }

  /** Sends a request that a service answers with this error. */
  async provoke(code: ErrorCode, working: WorkingRequest): Promise<Answer> {
    const { route } = working;
    switch (code) {
      case 'invalid_parameter':
        return this.send(working, { search: 'state_code=CA' });
      case 'invalid_json':
        return this.send(working, { body: '{"name": "Newspapers",}' });
      case 'invalid_filter':
        return this.send(working, {
          body: JSON.stringify({ ...(working.request.body as object), filter: { endorsers: ['nobody'] } }),
        });
      case 'invalid_subscription':
      case 'invalid_webhook':
        return this.send(working, { body: JSON.stringify({ name: '' }) });
      case 'invalid_submission':
        return this.send(working, { body: JSON.stringify({ submissions: [{ endorser: 'Coast Gazette' }] }) });
      case 'endorser_not_allowed':
        return this.send(working, { key: await this.#createKey('internal') });
      case 'body_too_large':
        return this.send(working, { body: JSON.stringify({ name: 'a'.repeat(400 * 1024) }) });
      case 'missing_api_key':
        return this.send(working, { key: null });
      case 'invalid_api_key':
        return this.send(working, { key: generateApiKey() });
      case 'revoked_api_key':
        return this.#sendWithAccount(working, 'UPDATE api_keys SET revoked_at = now() WHERE account_id');
      case 'expired_api_key':
        return this.#sendWithAccount(
          working,
          "UPDATE api_keys SET expires_at = '2026-01-01T00:00:00Z' WHERE account_id",
        );
      case 'account_suspended':
        return this.#sendWithAccount(working, 'UPDATE accounts SET suspended_at = now() WHERE id');
      case 'insufficient_scope': {
        const scopes = SCOPES.filter((scope) => scope !== route.scope);
        return this.send(working, { key: await this.#createKey('internal', scopes) });
      }
      case 'not_found':
        return this.send(working, { parameters: missing(route) });
      case 'subscription_not_found':
        return this.send(working, {
          parameters: route.parameters ? { id: 999_999 } : { subscription: 'Nobody' },
        });
      case 'conflict':
        return this.#sendConflict(working);
      case 'cursor_expired': {
        const cursor = await this.#oldCursor();
        if (!route.body) return this.send({ route, request: {} }, { parameters: { cursor } });
        const { from: _, ...body } = working.request.body as { from?: string };
        return this.send(working, { body: JSON.stringify({ ...body, cursor }) });
      }
      case 'not_available': {
        if (route.tag !== 'Webhooks') return this.send(working);
        const { webhooks } = this.#service.config;
        this.#service.config.webhooks = null;
        return this.send(working).finally(() => {
          this.#service.config.webhooks = webhooks;
        });
      }
      case 'rate_limit_exceeded':
        return this.#exhaust(working, 'requests_per_minute');
      case 'daily_limit_exceeded':
        return this.#exhaust(working, 'requests_per_day');
      case 'too_many_streams':
        return this.#openTwice(working);
      case 'too_many_requests_in_flight': {
        const full = jest.spyOn(AnswerBudget.prototype, 'requireShare').mockImplementation(() => {
          throw createShareError();
        });
        return this.send(working).finally(() => full.mockRestore());
      }
      case 'internal_error':
        return this.#sendAfter(working, new TypeError('injected'));
      case 'server_busy':
        return this.#sendAfter(working, Object.assign(new Error('injected'), { code: 'ECONNREFUSED' }));
      case 'warming_up': {
        const ready = jest.spyOn(Feed.prototype, 'ready', 'get').mockReturnValue(false);
        return this.send(working).finally(() => ready.mockRestore());
      }
      default:
        return this.send(working);
    }
  }

  #createKey(plan: string, scopes: readonly (typeof SCOPES)[number][] = SCOPES): Promise<string> {
    this.#accounts += 1;
    const account = `provoker-${this.#accounts}`;
    return this.#service.createKey(account, plan, { scopes });
  }

  /** Sends a request with a new account's key, after running a statement about that account. */
  async #sendWithAccount(working: WorkingRequest, statement: string): Promise<Answer> {
    const key = await this.#createKey('internal');
    const account = '(SELECT id FROM accounts WHERE name = $1)';
    await this.#service.query(`${statement} = ${account}`, [`provoker-${this.#accounts}`]);
    return this.send(working, { key });
  }

  /** Sends a request until a limit of two is used up. The window may end in between. */
  async #exhaust(
    working: WorkingRequest,
    limit: 'requests_per_minute' | 'requests_per_day',
  ): Promise<Answer> {
    const plan = `two-${limit.replaceAll('_', '-')}`;
    await this.#service.query(`INSERT INTO plans (name, ${limit}) VALUES ($1, 2) ON CONFLICT DO NOTHING`, [
      plan,
    ]);
    const key = await this.#createKey(plan);
    for (let left = 5; ; left -= 1) {
      const answer = await this.send(working, { key, search: 'unknown=1' });
      if (answer.status === 429 || left === 0) return answer;
    }
  }

  async #openTwice(working: WorkingRequest): Promise<Answer> {
    const key = await this.#createKey('free');
    const closing = new AbortController();
    const headers = { Authorization: `Bearer ${key}` };
    await fetch(this.#service.url('/v1/stream'), { headers, signal: closing.signal });
    return this.send(working, { key }).finally(() => closing.abort());
  }

  #sendConflict(working: WorkingRequest): Promise<Answer> {
    const { operationId } = working.route;
    if (operationId === 'createSubmissions') return this.#sendUsedKey(working);
    if (operationId === 'resumeWebhook') return this.#resumeDisabled(working);
    if (operationId === 'rotateWebhookSecret') return this.#sendKeyOfOther(working);
    return operationId === 'deleteSubscription'
      ? this.#deleteFollowed(working)
      : this.#sendTakenName(working);
  }

  /** Creates a record, past the request that is to fail. */
  #create(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#service.send('POST', path, body, { headers });
  }

  async #sendTakenName(working: WorkingRequest): Promise<Answer> {
    const name = `Taken ${this.#accounts}`;
    this.#accounts += 1;
    const body = { ...(working.request.body as object), name };
    const collection = working.route.path.replace('/{id}', '');
    await this.#create(collection, body);
    return this.send(working, { body: JSON.stringify(body) });
  }

  async #sendKeyOfOther(working: WorkingRequest): Promise<Answer> {
    const headers = { 'Idempotency-Key': 'of-another-request' };
    await this.#create('/v1/subscriptions', { name: 'With a key' }, headers);
    return this.send(working, { headers });
  }

  async #deleteFollowed(working: WorkingRequest): Promise<Answer> {
    const { body } = await this.#create('/v1/subscriptions', { name: 'Followed' });
    const { id } = body.data;
    await this.#create('/v1/webhooks', {
      name: 'Follows',
      url: 'https://hooks.example.org/',
      subscription: id,
    });
    return this.send(working, { parameters: { id } });
  }

  /** Resumes a webhook that operators have disabled. */
  async #resumeDisabled(working: WorkingRequest): Promise<Answer> {
    const disable = (state: string, reason: string | null) =>
      this.#service.query('UPDATE webhooks SET state = $1, reason = $2', [state, reason]);
    await disable('disabled', 'by_operator');
    return this.send(working).finally(() => disable('active', null));
  }

  async #sendUsedKey(working: WorkingRequest): Promise<Answer> {
    const headers = { 'Idempotency-Key': 'used' };
    const { body } = working.request as { body: { submissions: object[] } };
    const twice = JSON.stringify({ submissions: [...body.submissions, ...body.submissions] });
    await this.send(working, { headers, body: twice });
    return this.send(working, { headers });
  }

  async #sendAfter(working: WorkingRequest, error: Error): Promise<Answer> {
    const admit = jest.spyOn(RequestLimiter.prototype, 'admit').mockRejectedValueOnce(error);
    return this.send(working).finally(() => admit.mockRestore());
  }

  async #oldCursor(): Promise<string> {
    const { body } = await this.#service.get('/v1/events');
    const cursor = parseCursor(body.next_cursor);
    return formatCursor({ ...cursor, time: cursor.time - MONTH_MS });
  }
}

const missing = ({ path }: Route): Record<string, string | number> => {
  if (path.includes('{slug}')) return { slug: 'nobody' };
  return { id: path.includes('officeholders') ? NOBODY : 999_999 };
};
