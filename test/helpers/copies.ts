/** Copies of endorsements that are kept by events alone, and the reads that they must equal. */
// biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field, whatever they hold.
type Json = any;

/** The values that both an event and a flat endorsement carry, in the event's form. */
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

/** A copy that a client keeps of what its filter matches, by endorsement id. */
export class Copy {
  readonly #held = new Map<number, Json>();

  /** Takes an event in, as a client does: it adds or replaces the endorsement, or takes it out. */
  apply(event: Json): void {
    const { id } = event.endorsement;
    if (event.type === 'endorsement.deleted') this.#held.delete(id);
    else this.#held.set(id, event);
  }

  /** The values of every endorsement, by id. */
  get contents(): Record<string, Json> {
    const sorted = [...this.#held].sort(([a], [b]) => a - b);
    return Object.fromEntries(sorted.map(([id, event]) => [id, comparable(event)]));
  }

  /** The last event of every endorsement. */
  get events(): Json[] {
    return [...this.#held.values()];
  }
}

/** Sends a GET request for a path with a key. */
export type Ask = (path: string) => Promise<{ status: number; body: Json }>;

/** The endorsements that the reads give for a filter, a query, by id. A copy with this filter must hold them. */
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
