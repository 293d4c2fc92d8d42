import path from 'node:path';
import { type Command, Option } from 'commander';
import {
  ApiError,
  BallotEndorsements,
  CursorExpiredError,
  type StreamOptions,
  UnexpectedAnswerError,
} from '../../clients/typescript/src/index.ts';
import { streamFilters } from '../../schemas/http/parameters.ts';
import { showControls } from '../../schemas/show-controls.ts';
import { FILTER_FIELDS, type FilterField } from '../../schemas/vocabulary.ts';
import { parseInteger } from '../../service/environment.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { hasService, readDataDir, readServiceUrl } from '../../service/running-service.ts';
import { openSecretFile, readSecret } from '../../service/secret.ts';
import { createPaint } from '../colours.ts';
import type { CommandIo } from '../command.ts';
import { formatEvent } from '../stream/format-event.ts';

/** The most values of a field that its help names. */
const MOST_NAMED = 6;

/** The help of a filter field: the description of the API's parameter, and its values if they are few. */
function describeField(field: FilterField): string {
  const { items, ...options } = streamFilters[field];
  const { description = '' } = options as { description?: string };
  const meaning = `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
  const values = 'enum' in items ? items.enum : [];
  return values.length === 0 || values.length > MOST_NAMED ? meaning : `${meaning}: ${values.join(', ')}`;
}

const HELP = `
API key:
  API_KEY, API_KEY_FILE or --key-file. Without one, and without --url, the demo's key of DATA_DIR is used.

Examples:
  npm run ops -- stream tail
  npm run ops -- stream tail --from earliest --limit 3
  npm run ops -- stream tail --states CA,OR --levels city --types created,deleted
  npm run ops -- stream tail --since 2026-11-03T00:00:00Z --json | jq .endorser.slug
  API_KEY_FILE=key npm run ops -- stream tail --url https://ballots.example.org`;

interface TailFlags extends Partial<Record<string, unknown>> {
  url?: string;
  keyFile?: string;
  from?: string;
  since?: string;
  cursor?: string;
  limit?: number;
  json?: true;
}

/** `stream tail [--states ...] [--from WHERE | --since TIME | --cursor CURSOR] [--json] [--url URL]`. */
export function defineTail(command: Command, io: CommandIo): void {
  command.description('show the stream live, a line for each event, and reconnect when a connection ends');
  for (const field of FILTER_FIELDS) {
    command.option(`--${field.replaceAll('_', '-')} <list>`, describeField(field));
  }
  const starts = [
    new Option('--from <where>', 'begin with the oldest event that is kept, or with the next one').choices([
      'earliest',
      'latest',
    ]),
    new Option('--since <time>', 'begin with changes from this time on, such as 2026-11-03T00:00:00Z'),
    new Option('--cursor <cursor>', 'begin after this cursor or event id').argParser(parseCursor),
  ];
  for (const start of starts) {
    const others = starts.filter((other) => other !== start).map((other) => other.attributeName());
    command.addOption(start.conflicts(others));
  }
  command
    .option('--limit <n>', 'end after this number of events', parseLimit)
    .option('--json', 'print the body of each event as a line of JSON')
    .option('--url <url>', 'the address of the service; by default the one that runs on DATA_DIR')
    .option('--key-file <file>', 'a file that holds the API key')
    .addHelpText('after', HELP)
    .action((flags: TailFlags) => tail(flags, io));
}

/** The service judges a cursor; this only refuses what no header can carry. */
function parseCursor(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new OperatorError(
    `--cursor is "${showControls(text)}"; a cursor has only letters, digits and signs of ASCII.`,
  );
}

const parseLimit = (text: string) => parseInteger('--limit', text, { min: 1, max: 999_999_999 });

/** @throws OperatorError if there is no key, the address is invalid, or the service refuses the request */
async function tail(flags: TailFlags, io: CommandIo): Promise<void> {
  const url = flags.url === undefined ? readServiceUrl(io.env) : parseUrl(flags.url);
  const interrupted = new AbortController();
  const forget = io.onInterrupt(() => interrupted.abort());
  try {
    await show(flags, { url, key: readKey(flags, io), signal: interrupted.signal }, io);
  } finally {
    forget();
  }
}

async function show(
  flags: TailFlags,
  { url, key, signal }: { url: string; key: string; signal: AbortSignal },
  io: CommandIo,
): Promise<void> {
  const paint = createPaint(io);
  let lost: string | null = null;
  const client = new BallotEndorsements({
    baseUrl: url,
    apiKey: key,
    onRetry: ({ error, waitMs }) => {
      const reason = showControls(describeLoss(error));
      // An outage is reported once.
      if (reason !== lost) io.err(`${url}: ${reason}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
      lost = reason;
    },
    fetch: async (...request) => {
      const answer = await fetch(...request);
      if (lost !== null && answer.ok) io.err(`Connected to ${url} again.`);
      if (answer.ok) lost = null;
      return answer;
    },
  });
  const items = client.stream({ ...readQuery(flags), checkpoints: true });
  signal.addEventListener('abort', () => items.close());
  let cursor: string | null = null;
  let shown = 0;
  try {
    for await (const item of items) {
      if (item.type === 'checkpoint') {
        cursor = item.cursor;
        continue;
      }
      cursor = item.id;
      io.out(flags.json ? showControls(JSON.stringify(item)) : formatEvent(item, paint));
      shown += 1;
      if (shown === flags.limit) break;
    }
  } catch (error) {
    throw explain(url, error);
  }
  if (cursor !== null) io.err(`To continue from here: --cursor ${showControls(cursor)}`);
}

/** The first cause: errors of fetch only say "fetch failed". */
function describeLoss(error: unknown): string {
  let first = error as Error & { code?: string };
  while (first.cause instanceof Error) first = first.cause;
  // An error of several addresses has no message of its own.
  return (first.message || (first.code ?? first.name)).replace(/\.$/, '');
}

/** The sentence for an error that ends the stream. */
function explain(url: string, error: unknown): unknown {
  if (error instanceof CursorExpiredError) {
    return new OperatorError(
      'The stream no longer keeps the changes after that cursor: begin again with --from earliest.',
    );
  }
  if (error instanceof ApiError) return new OperatorError(`${url} refuses: ${showControls(error.message)}`);
  if (error instanceof UnexpectedAnswerError) {
    return new OperatorError(`${url} is not this service: ${showControls(error.message)}`);
  }
  return error;
}

/** The filter and the start. The service checks their values and names the faulty one. */
function readQuery(flags: TailFlags): StreamOptions {
  const query: Record<string, unknown> = {};
  for (const name of [...FILTER_FIELDS, 'from', 'since', 'cursor']) {
    query[name] = flags[name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
  }
  return query;
}

function parseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:\/\//.test(text) && !/[?#]/.test(text)) return text.replace(/\/+$/, '');
  throw new OperatorError(`--url is "${text}"; it must be an address such as https://ballots.example.org.`);
}

/** @throws OperatorError if no service is known */
function readKey({ url, keyFile }: TailFlags, { env }: CommandIo): string {
  const secret = keyFile === undefined ? readSecret(env, 'API_KEY') : openSecretFile('--key-file', keyFile);
  const key = secret?.read() ?? (url === undefined ? readDemoKey(env) : null);
  if (key === null && url === undefined && !hasService(env)) {
    throw new OperatorError(
      `Nothing runs on DATA_DIR "${readDataDir(env)}": start the service with "npm start", set the DATA_DIR of one that ` +
        'runs, or name another one with --url and its key with API_KEY or API_KEY_FILE.',
    );
  }
  if (key === null) {
    throw new OperatorError(
      'There is no API key: set API_KEY or API_KEY_FILE, or name its file with --key-file. ' +
        '"npm run ops -- keys create" makes one.',
    );
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new OperatorError(
    `${secret?.setting ?? 'demo.key'} holds no API key: a key has no spaces or line breaks.`,
  );
}

/** The key that "npm start" prints; null without a demo. */
function readDemoKey(env: CommandIo['env']): string | null {
  try {
    return openSecretFile('demo.key', path.join(readDataDir(env), 'demo.key')).read();
  } catch {
    return null;
  }
}
