/** Copies of endorsements that are kept by events alone, and the reads and digests that they must equal. */
import { createHash } from 'node:crypto';

// biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field, whatever they hold.
type Json = any;

/** The values that events and flat endorsements share, in the event's form. */
function comparable({ endorsement, endorser, contest, election, choice }: Json): Json {
  const { id, rank, statement, source_url, published_on } = endorsement;
  const { district } = contest;
  return {
    endorsement: { id, rank, statement, source_url, published_on },
    endorser,
    contest: {
      id: contest.id,
      title: contest.title,
      short_title: contest.short_title,
      kind: contest.kind,
      district: {
        id: district.id,
        name: district.name,
        level: district.level,
        ocd_id: district.ocd_id,
        state: district.state,
      },
    },
    election,
    choice: {
      id: choice.id,
      label: choice.label,
      measure_answer: choice.measure_answer,
      candidate: choice.candidate,
      party: choice.party,
    },
  };
}

/** The same value with the keys of every object sorted. */
function sorted(value: Json): Json {
  if (Array.isArray(value) || value === null || typeof value !== 'object') return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

/** The count and the digest of endorsements, as docs/copies.md describes them, without the service's code. */
export function digestOf(contents: readonly Json[]): { count: number; digest: string } {
  let sum = 0n;
  for (const { endorsement, ...ballot } of contents) {
    const text = JSON.stringify(sorted({ ...endorsement, ...ballot }));
    sum += BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
  }
  return { count: contents.length, digest: (sum % 2n ** 256n).toString(16).padStart(64, '0') };
}

/** The service's count and digest for a filter, a query. */
export async function readDigest(ask: Ask, filter: string): Promise<{ count: number; digest: string }> {
  const { status, body } = await ask(`/v1/digest?${filter}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  const { count, digest } = body.data;
  return { count, digest };
}

/** A client's copy of the endorsements that its filter matches, by id. */
export class Copy {
  readonly #held = new Map<number, Json>();

  /** Applies an event as a client does: it adds, replaces or removes the endorsement. */
  apply(event: Json): void {
    const { id } = event.endorsement;
    if (event.type === 'endorsement.deleted') this.#held.delete(id);
    else this.#held.set(id, event);
  }

  /** The values of every endorsement, by id. */
  get contents(): Record<string, Json> {
    const ordered = [...this.#held].sort(([a], [b]) => a - b);
    return Object.fromEntries(ordered.map(([id, event]) => [id, comparable(event)]));
  }

  /** The last event of every endorsement. */
  get events(): Json[] {
    return [...this.#held.values()];
  }
}

/** Sends a GET request for a path with a key. */
export type Ask = (path: string) => Promise<{ status: number; body: Json }>;

/** The endorsements in the reads for a filter, a query, by id. A copy with this filter must equal them. */
export async function readEndorsements(ask: Ask, filter: string): Promise<Record<string, Json>> {
  const all: [string, Json][] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await ask(`/v1/endorsements?limit=500&${filter}${cursor}`);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    for (const flat of body.data) all.push([flat.id, comparable({ ...flat, endorsement: flat })]);
    if (body.next_cursor === null) return Object.fromEntries(all);
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** A filter as a query. */
export function queryOf(filter: Readonly<Record<string, readonly string[] | undefined>>): string {
  const fields = Object.entries(filter).map(([field, values]) => [field, values?.join(',') ?? '']);
  return new URLSearchParams(Object.fromEntries(fields)).toString();
}
