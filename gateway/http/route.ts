import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { TProperties, TSchema } from 'typebox';
import type { AnswerScope } from '../../domain/answer-scope.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import type { Scope } from '../../schemas/vocabulary.ts';
import type { DataPart } from '../../store/reads/data-versions.ts';
import type { InTurn } from './body.ts';
import type { Caller } from './caller.ts';
import type { Content } from './content.ts';
import type { Tag } from './openapi/tags.ts';

/** Lines with one JSON document each. */
export const LINES_TYPE = 'application/x-ndjson';

/** The declaration of a route, for validation, the OpenAPI description and the tests. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parameter names stand in braces: `/v1/contests/{id}`. */
  path: string;
  /** The name of the operation in the description and in generated clients: `listContests`. */
  operationId: string;
  tag: Tag;
  /** A few words about the operation, without a full stop. */
  summary: string;
  /** More about the operation, in sentences. */
  description: string;
  /** The scope that the API key needs. */
  scope: Scope;
  query: TProperties;
  /** The parameters in the path, by name. Omitted if the path has none. */
  parameters?: TProperties;
  /**
   * The schema of the request body, and the error code for a body that does not match it. If the handler itself checks
   * parts of the body, only `checked` is checked before.
   */
  body?: { schema: TSchema; refusal: ErrorCode; checked?: TSchema };
  /** The codes of errors that only some operations have, except those of the body. */
  errors?: readonly ErrorCode[];
  /** The status of success. The default is 200. */
  success?: 200 | 201 | 202 | 204;
  /**
   * The parts of the data that an answer shows, if it is the same for every account. The answer can be reused
   * until one of these parts changes. Answers chosen by a subscription are never reused.
   */
  shows?: readonly DataPart[];
  /** Whether a repeated POST does no more than the first, so that it takes no Idempotency-Key. */
  isRepeatable?: boolean;
  /** Whether an answer is requested only once. It then has no ETag, and is never answered with 304. */
  once?: boolean;
  /**
   * The list as lines of JSON, for clients that ask for `application/x-ndjson`: all records that match the
   * filters. It has parameters of its own.
   */
  lines?: { query: TProperties; record: TSchema };
  /** The schema of the JSON body on success; null for no body. */
  response: TSchema | null;
  /** The schema of a frame, if it answers with a stream of events. */
  frame?: TSchema;
}

/** An authenticated request, before its parameters are parsed. */
export interface RawRequest {
  /** The path and the query, as the client sent them. */
  url: string;
  /** The query string without its question mark. */
  query: string;
  /** The path parameters by name, percent-decoded. */
  path: Readonly<Record<string, string>>;
  /** Reads and parses the JSON body, a large one in turn. */
  readBody(inTurn: InTurn): Promise<unknown>;
  /** Returns the value of a header, or undefined if it is missing or empty. */
  header(name: 'Last-Event-ID' | 'Idempotency-Key'): string | undefined;
  /** Whether the client prefers gzip to no compression. */
  acceptsGzip(): boolean;
  /** Whether the client prefers lines of JSON to one document. */
  acceptsLines(): boolean;
  /**
   * The version that the record to replace must still have: the `updated_at` of a subscription, or the last change of the
   * stream before which a position was read. Only pages of the console can send it.
   */
  unchangedSince?: string;
  caller: Caller;
  /** The id of the request, as in the log and in X-Request-Id. */
  id: string;
  /** Calls a listener when the connection closes or if it is closed. Takes less memory than `closed`. */
  onClose(listener: () => void): void;
  /** Aborts when the connection closes. */
  readonly closed: AbortSignal;
  /** Whether the connection is closed. Cheaper than `closed`, which registers a listener. */
  isClosed(): boolean;
}

/**
 * The answer of a route: a JSON body, with a status and headers if they differ from the defaults, and with the
 * changes of endorsements that can alter it (if it is kept; without a scope, every change can); lines of
 * JSON, which are destroyed instead of ended if the answer is cut; an empty body (204); or headers and a
 * function that takes over the connection.
 */
export type Reply =
  | {
      json: string | Buffer | Content;
      status?: 201 | 202;
      headers?: Readonly<Record<string, string>>;
      scope?: AnswerScope;
    }
  | { lines: Readable }
  | { empty: true }
  | { headers: Readonly<Record<string, string>>; stream: (response: ServerResponse) => Promise<void> };

/** A route that can answer requests. */
export interface Endpoint extends Route {
  /** @throws ApiError if the request is refused. */
  answer(request: RawRequest): Promise<Reply>;
}
