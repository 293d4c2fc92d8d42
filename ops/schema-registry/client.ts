/**
 * The few calls of the REST API that Confluent's Schema Registry, Karapace and Apicurio share. Node's own client makes
 * them: the packages for this API exist to encode values in another format. Confluent's package brings the clients of
 * three clouds along, and KafkaJS's cannot ask whether a schema is compatible.
 */
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { rotatingContext } from '../../service/certificates.ts';
import { explainRefusal, explainSilence, strangeAnswer } from './refusal.ts';
import type { Registry } from './registry.ts';

const TYPE = 'application/vnd.schemaregistry.v1+json';
const TIMEOUT_MS = 10_000;
/** Confluent's codes for a missing subject, version or schema, and for no compatibility of the subject's own. */
const ABSENT = [40401, 40402, 40403, 40408];

/** A schema under a subject. */
export interface RegisteredSchema {
  id: number;
  schema: string;
}

/**
 * A schema registry. If the registry does not answer or refuses, every method throws an OperatorError with the
 * solution.
 */
export class RegistryClient {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The registry's own numbers of a subject's versions, oldest first; empty without the subject. */
  async versions(subject: string): Promise<number[]> {
    const body = await this.#ask('GET', ['subjects', subject, 'versions']);
    if (body === null) return [];
    if (!Array.isArray(body) || !body.every(Number.isInteger)) throw strangeAnswer(this.#registry, 200);
    return body.toSorted((a, b) => a - b);
  }

  async schema(subject: string, version: number): Promise<RegisteredSchema> {
    const body = await this.#ask('GET', ['subjects', subject, 'versions', version]);
    return { id: this.#field(body, 'id', 'number'), schema: this.#field(body, 'schema', 'string') };
  }

  /** The subject's own compatibility; null if it is not set. */
  async compatibility(subject: string): Promise<string | null> {
    const body = await this.#ask('GET', ['config', subject]);
    return body === null ? null : this.#field(body, 'compatibilityLevel', 'string');
  }

  async setCompatibility(subject: string, compatibility: string): Promise<void> {
    this.#field(await this.#ask('PUT', ['config', subject], { compatibility }), 'compatibility', 'string');
  }

  /** Adds a version to a subject. @returns the schema's id @throws IncompatibleError */
  async register(subject: string, schema: string): Promise<number> {
    return this.#field(
      await this.#ask('POST', ['subjects', subject, 'versions'], { schema }),
      'id',
      'number',
    );
  }

  /** Whether a schema is compatible with a version of the subject, under the subject's compatibility. */
  async isCompatible(subject: string, version: number, schema: string): Promise<boolean> {
    const path = ['compatibility', 'subjects', subject, 'versions', version];
    return this.#field(await this.#ask('POST', path, { schema }), 'is_compatible', 'boolean');
  }

  /** @returns the body of the answer; null if the subject, version or setting is missing */
  async #ask(method: string, path: readonly (string | number)[], body?: object): Promise<unknown> {
    const answer = await this.#send(method, path.map(encodeURIComponent).join('/'), body).catch(
      (error: Error) => {
        throw explainSilence(this.#registry, error);
      },
    );
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    const { error_code: code, message } = Object(answer.body) as { error_code?: unknown; message?: unknown };
    const isAbsent = answer.status === 404 && ABSENT.includes(Number(code));
    if (isAbsent && method === 'GET') return null;
    throw explainRefusal(this.#registry, {
      status: answer.status,
      // If a user may not write a subject, Karapace reports that the subject is missing.
      isForbidden: isAbsent || answer.status === 403,
      code: Number(code),
      message: String(message ?? ''),
    });
  }

  async #send(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const { url, login, tls } = this.#registry;
    const isSecure = url.startsWith('https:');
    const request = (isSecure ? https : http).request(`${url}/${path}`, {
      method,
      agent: false,
      timeout: TIMEOUT_MS,
      headers: {
        accept: `${TYPE}, application/json`,
        ...(body && { 'content-type': TYPE }),
        ...(login && { authorization: authorize(login) }),
      },
      ...(isSecure && { secureContext: rotatingContext(tls)() }),
    });
    request.once('timeout', () => request.destroy(new Error(`nothing within ${TIMEOUT_MS / 1000} s`)));
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
      request.end(body && JSON.stringify(body));
    });
    return { status: response.statusCode ?? 0, body: parse(await text(response)) };
  }

  #field(body: unknown, name: string, type: 'number'): number;
  #field(body: unknown, name: string, type: 'string'): string;
  #field(body: unknown, name: string, type: 'boolean'): boolean;
  #field(body: unknown, name: string, type: 'number' | 'string' | 'boolean'): unknown {
    const value = (Object(body) as Record<string, unknown>)[name];
    if (typeof value === type) return value;
    throw strangeAnswer(this.#registry, 200);
  }
}

function authorize(login: NonNullable<Registry['login']>): string {
  if ('token' in login) return `Bearer ${login.token.read()}`;
  return `Basic ${Buffer.from(`${login.username}:${login.password.read()}`).toString('base64')}`;
}

/** @returns undefined if it is not JSON */
function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
