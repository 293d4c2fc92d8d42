/*
 * Mirrors every endorsement into a file, for as long as it runs: API_KEY=bes_... node docs/examples/mirror.ts [FILE]
 * BASE_URL is the service's address. Killed and started again, it goes on from where the file says.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL = 'http://localhost:8080', API_KEY = '' } = process.env;
const [, , FILE = 'mirror.json'] = process.argv;
/** A connection without a sign of life for so long is dead; the service gives one every 20 seconds. */
const DEAD_MS = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: the service describes its records in /openapi.json.
type Json = any;
/** Where in the stream the copy stands, and the copy: saved together, so that neither is ahead of the other. */
type Mirror = { position: string; endorsements: Record<string, Json> };
class Expired extends Error {}
let retryMs = 1000;

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${API_KEY}`, ...options.headers };
  const response = await fetch(BASE_URL + path, { ...options, headers });
  if (response.status === 410) throw new Expired('The position is older than the stream goes back.');
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

/** Reads the list to its end. The stream goes on from its first page, so that nothing in between is missed. */
async function list(): Promise<Mirror> {
  const mirror: Mirror = { position: '', endorsements: {} };
  for (let cursor = ''; ; ) {
    const page: Json = await (await request(`/v1/endorsements?limit=500${cursor}`)).json();
    for (const record of page.data) mirror.endorsements[record.id] = keep(record, record.updated_at, record);
    mirror.position = page.stream_cursor;
    if (page.next_cursor === null) return mirror;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

/** What is kept of a record of the list, or of an event: all that both have. */
function keep(endorsement: Json, updated_at: string, { endorser, contest, election, choice }: Json): Json {
  const { id, rank, statement, source_url, published_on } = endorsement;
  const { title, short_title, kind } = contest;
  const { type: _, ...district } = contest.district;
  const { withdrawn: __, ...chosen } = choice;
  const where = { endorser, contest: { id: contest.id, title, short_title, kind, district }, election };
  return { id, rank, statement, source_url, published_on, updated_at, ...where, choice: chosen };
}

/** To apply an event twice changes nothing. */
function apply({ endorsements }: Mirror, event: Json): void {
  const { type, endorsement, occurred_at } = event;
  if (type === 'endorsement.deleted') delete endorsements[endorsement.id];
  else endorsements[endorsement.id] = keep(endorsement, occurred_at, event);
}

async function save(mirror: Mirror): Promise<void> {
  await writeFile(`${FILE}.new`, JSON.stringify(mirror));
  await rename(`${FILE}.new`, FILE);
}

/** Applies events until the connection ends, for whatever reason. */
async function follow(mirror: Mirror): Promise<void> {
  const dead = new AbortController();
  const timer = setTimeout(() => dead.abort(), DEAD_MS);
  try {
    const headers = { 'Last-Event-ID': mirror.position };
    const { body } = await request('/v1/stream', { headers, signal: dead.signal });
    let text = '';
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      timer.refresh();
      const frames = (text + piece).split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
        if (field('event') === 'endorsement') apply(mirror, JSON.parse(field('data') ?? ''));
        retryMs = Number(field('retry') ?? retryMs);
        mirror.position = field('id') ?? mirror.position;
      }
      await save(mirror);
    }
  } finally {
    clearTimeout(timer);
  }
}

let mirror: Mirror | null = JSON.parse(await readFile(FILE, 'utf8').catch(() => 'null'));
for (;;) {
  try {
    mirror ??= await list();
    await save(mirror);
    await follow(mirror);
  } catch (error) {
    process.stderr.write(`${error}\n`);
    if (error instanceof Expired) mirror = null;
  }
  await sleep(retryMs);
}
