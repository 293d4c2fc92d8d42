import { readFileSync } from 'node:fs';
import type { ErrorBody, ErrorCode } from '../../../schemas/errors.ts';

/** A request and its answer. */
export interface OperationExample {
  /** Values of parameters, by name. */
  parameters?: Readonly<Record<string, unknown>>;
  body?: unknown;
  /** The JSON of the answer. */
  answer?: unknown;
  /** The answer as lines of JSON: the first, a record and the last. */
  lines?: string;
}

/** A frame of the stream, as the schema describes it. */
interface FrameExample {
  event: string;
  id: string;
  data: string;
}

/**
 * Real requests and answers, which a test of the service writes and compares. Only times, cursors and random
 * delays are replaced, and long lists are cut.
 */
export interface Examples {
  /** By the id of the operation. */
  operations: Readonly<Record<string, OperationExample>>;
  errors: Readonly<Partial<Record<ErrorCode, ErrorBody>>>;
  /** One frame of each kind. */
  frames: readonly FrameExample[];
  /** The beginning of a stream, as sent over the wire. */
  stream: string;
}

export const EXAMPLES_FILE = new URL('examples.json', import.meta.url);

export const examples: Examples = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'));
