/*
 * Keeps a file in step with all endorsements while it runs: API_KEY=bes_... node docs/examples/mirror.ts [FILE]
 * BASE_URL is the address of the service. After a restart, the program continues from the cursor in the file.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL = 'http://localhost:8080', API_KEY = '' } = process.env;
const [, , FILE = 'mirror.json'] = process.argv;
// biome-ignore lint/suspicious/noExplicitAny: the service describes its records in /openapi.json.
type Json = any;

/** The copy and its cursor in the stream, saved together so that neither is ahead of the other. */
let { endorsements, cursor }: Json = JSON.parse(await readFile(FILE, 'utf8').catch(() => '{}'));
let retryMs = 1000;

async function request(path: string, headers = {}, signal: AbortSignal | null = null): Promise<Response> {
  const withKey = { Authorization: `Bearer ${API_KEY}`, ...headers };
  const response = await fetch(BASE_URL + path, { headers: withKey, signal });
  if (response.ok) return response;
  throw new Error(`${response.status} ${await response.text()}`, { cause: response.status });
}

/** The part of a record that both the list and the events have. */
function keep({ contest, choice: { withdrawn: _, ...choice }, ...record }: Json): Json {
  const { id, title, short_title, kind } = contest;
  const { type: _type, ...district } = contest.district;
  return { ...record, contest: { id, title, short_title, kind, district }, choice };
}

/** Reads the whole list. @returns the cursor of its first page, after which the stream misses nothing. */
async function list(): Promise<string> {
  endorsements = {};
  for (let after = ''; ; ) {
    const page: Json = await (await request(`/v1/endorsements?limit=500${after}`)).json();
    for (const record of page.data) endorsements[record.id] = keep(record);
    if (page.next_cursor === null) return page.stream_cursor;
    after = `&cursor=${page.next_cursor}`;
  }
}

/** Applies an event. Applying it twice does no harm. */
function apply({ type, occurred_at, id: _, endorsement, ...ballot }: Json): void {
  if (type === 'endorsement.deleted') delete endorsements[endorsement.id];
  else endorsements[endorsement.id] = keep({ ...endorsement, updated_at: occurred_at, ...ballot });
}

/** Applies events until the connection ends. A connection that is silent for a minute counts as dead. */
async function follow(): Promise<void> {
  const dead = new AbortController();
  const timer = setTimeout(() => dead.abort(), 60_000);
  const { body } = await request('/v1/stream', { 'Last-Event-ID': cursor }, dead.signal);
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    timer.refresh();
    const frames = (text + piece).split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
      if (field('event') === 'endorsement') apply(JSON.parse(field('data') ?? ''));
      retryMs = Number(field('retry') ?? retryMs);
      cursor = field('id') ?? cursor;
    }
    await writeFile(`${FILE}.new`, JSON.stringify({ cursor, endorsements }));
    await rename(`${FILE}.new`, FILE);
  }
}

for (;;) {
  try {
    cursor ??= await list();
    await follow();
  } catch (error) {
    process.stderr.write(`${error}\n`);
    // The cursor is older than the stream keeps: start over.
    if ((error as Error).cause === 410) cursor = null;
  }
  await sleep(retryMs);
}
