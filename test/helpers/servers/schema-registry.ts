/**
 * A schema registry for tests, with the part of Confluent's documented REST API that the service uses. `npm run
 * test:registry` runs the same cases against a real one.
 */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import avro from 'avsc';

interface Held {
  versions: { version: number; id: number; schema: string }[];
  level: string | null;
}

interface Answer {
  status: number;
  body: unknown;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const refuse = (status: number, code: number, message: string): Answer => ({
  status,
  body: { error_code: code, message },
});
const readOnly = () => refuse(422, 42205, 'Subject is in read-only mode');

export class SchemaRegistry {
  /** The required Authorization header; null for none. */
  authorization: string | null = null;
  /** Answers every change with a refusal. */
  isReadOnly = false;
  /** Reports a missing subject on every change, as Karapace does to a user without the right. */
  hidesSubjects = false;
  /** Answers every request with this status, without a registry's body. */
  failure: number | null = null;
  readonly #server: http.Server | https.Server;
  readonly #subjects = new Map<string, Held>();
  readonly #ids: string[] = [];

  private constructor(tls: https.ServerOptions | null) {
    const listener = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serve(request, response);
    this.#server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  }

  /** Starts it on a port of this machine. @param tls the server's certificate and key, for HTTPS */
  static async start(tls: { cert: string; key: string } | null = null): Promise<SchemaRegistry> {
    const registry = new SchemaRegistry(tls);
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    return registry;
  }

  get url(): string {
    const scheme = this.#server instanceof https.Server ? 'https' : 'http';
    return `${scheme}://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const content = await text(request);
    const path = (request.url ?? '').split('/').slice(1).map(decodeURIComponent);
    const { status, body } = this.#answer(request, path, content === '' ? {} : JSON.parse(content));
    response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' });
    response.end(JSON.stringify(body));
  }

  #answer({ method, headers }: IncomingMessage, path: string[], body: Record<string, string>): Answer {
    if (this.failure !== null) return { status: this.failure, body: 'A page of another server' };
    if (this.authorization !== null && headers.authorization !== this.authorization) {
      return refuse(401, 401, 'Unauthorized');
    }
    if (this.hidesSubjects && method !== 'GET') return refuse(404, 40401, 'Subject not found.');
    const [room, subject = '', , version = ''] = path;
    const held = this.#subjects.get(subject);
    if (room === 'config') return this.#config(method, subject, held, body);
    if (room === 'subjects' && method === 'POST') return this.#register(subject, held, body.schema ?? '');
    if (room === 'compatibility') return judge(this.#subjects.get(path[2] ?? ''), path[4], body.schema ?? '');
    if (room !== 'subjects') return refuse(404, 404, 'HTTP 404 Not Found');
    if (!held) return refuse(404, 40401, `Subject '${subject}' not found.`);
    if (version === '') return ok(held.versions.map((each) => each.version));
    const found = held.versions.find((each) => String(each.version) === version);
    return found ? ok({ subject, ...found }) : refuse(404, 40402, `Version ${version} not found.`);
  }

  #config(method = '', subject: string, held: Held | undefined, body: Record<string, string>): Answer {
    if (method === 'PUT') {
      if (this.isReadOnly) return readOnly();
      this.#subjects.set(subject, { versions: held?.versions ?? [], level: body.compatibility ?? null });
      return ok(body);
    }
    if (!held?.level) return refuse(404, 40408, `Subject '${subject}' has no compatibility of its own.`);
    return ok({ compatibilityLevel: held.level });
  }

  #register(subject: string, held: Held = { versions: [], level: null }, schema: string): Answer {
    if (this.isReadOnly) return readOnly();
    const there = held.versions.find((each) => each.schema === schema);
    if (there) return ok({ id: there.id });
    const others = held.level === 'FULL_TRANSITIVE' ? held.versions : held.versions.slice(-1);
    if (!others.every((other) => isCompatible(other.schema, schema, held.level))) {
      return refuse(409, 409, 'Schema being registered is incompatible with an earlier schema');
    }
    if (!this.#ids.includes(schema)) this.#ids.push(schema);
    const id = this.#ids.indexOf(schema) + 1;
    held.versions.push({ version: held.versions.length + 1, id, schema });
    this.#subjects.set(subject, held);
    return ok({ id });
  }
}

function judge(held: Held | undefined, version: string | undefined, schema: string): Answer {
  const other = held?.versions.find((each) => String(each.version) === version);
  if (!other) return refuse(404, 40402, `Version ${version} not found.`);
  return ok({ is_compatible: isCompatible(other.schema, schema, held?.level ?? null) });
}

/** BACKWARD, which is Confluent's default, unless the level is FULL or NONE. */
function isCompatible(old: string, schema: string, level: string | null): boolean {
  const [older, newer] = [old, schema].map((each) => avro.Type.forSchema(JSON.parse(each)));
  if (level === 'NONE' || !older || !newer) return true;
  return reads(newer, older) && (!level?.startsWith('FULL') || reads(older, newer));
}

function reads(reader: avro.Type, writer: avro.Type): boolean {
  try {
    reader.createResolver(writer);
    return true;
  } catch {
    return false;
  }
}
