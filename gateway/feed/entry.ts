import type { ChangeFacets, FilterField } from '../../domain/stream-filter.ts';
import type { Change } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { FRAME_END, parseFrameId } from '../../schemas/event.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import type { Logger } from '../../service/log.ts';
import { undecodableRecords } from './metrics.ts';
import { FACETS, type RenderedChanges, renderChanges } from './rendered-changes.ts';

/** A place in the stream: after `sequence`. */
export interface ResumePoint {
  sequence: number;
  /** Milliseconds since 1970: when the last change before it occurred, or a later time up to which nothing did. */
  time: number;
  /** By partition: where reading must start to get everything after it. */
  offsets: readonly number[];
}

/** A run of changes without a gap, and where the reader is after it. */
export interface Chunk {
  entries: LogEntry[];
  resumePoint: ResumePoint;
}

/** A change in its partition. */
export interface EntryAt {
  entry: LogEntry;
  offset: number;
}

/** What an entry takes beside its bytes, roughly: 300 to 460 bytes of V8's heap, and its places in lists. */
const OVERHEAD_BYTES = 500;
/** Beyond so many texts the sharing begins anew. */
const MAX_SHARED = 100_000;

/** Where the frame of an entry lies: in bytes that it shares with its neighbours, which cost less than as many buffers. */
interface FramePlace {
  bytes: Buffer;
  start: number;
  /** Where the event's JSON begins. */
  json: number;
  end: number;
}

/** A change as the gateway keeps it: decoded once, its bytes rendered once, shared by every reader (INV-11). */
export class LogEntry {
  readonly epoch: number;
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
  readonly facets: ChangeFacets;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #json: number;
  readonly #end: number;
  #resumePoint: ResumePoint | undefined;

  constructor(
    change: { epoch: number; sequence: number; occurredAt: number; facets: ChangeFacets },
    place: FramePlace,
  ) {
    this.epoch = change.epoch;
    this.sequence = change.sequence;
    this.occurredAt = change.occurredAt;
    this.facets = change.facets;
    this.#bytes = place.bytes;
    this.#start = place.start;
    this.#json = place.json;
    this.#end = place.end;
  }

  /** The event's id, which is also a cursor. */
  get id(): string {
    return parseFrameId(this.#bytes.toString('utf8', this.#start, this.#json));
  }

  /** The event as a Server-Sent Event. */
  get frame(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** The event's body as JSON: the part of the frame that holds it. */
  get json(): Buffer {
    return this.#bytes.subarray(this.#json, this.#end - FRAME_END.length);
  }

  /** Roughly what it costs to keep, in bytes. */
  get bytes(): number {
    return this.#end - this.#start + OVERHEAD_BYTES;
  }

  /** The position after it. */
  get resumePoint(): ResumePoint {
    this.#resumePoint ??= {
      sequence: this.sequence,
      time: this.occurredAt,
      offsets: parseCursor(this.id).offsets,
    };
    return this.#resumePoint;
  }
}

/** Slugs and other names that entries have in common. */
const shared = new Map<string, string>();

/** The same text, in the one place that all who have it share: a million entries name a few thousand endorsers. */
function share(text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED) shared.clear();
  shared.set(text, text);
  return text;
}

/** Where in the facets of a change each of them is. */
const PLACES = Object.fromEntries(FACETS.map((facet, place) => [facet, place])) as Record<
  FilterField,
  number
>;

/** What filters look at of each of the changes. */
function openFacets({ facets, names: texts }: RenderedChanges): (index: number) => ChangeFacets {
  const names = texts.map(share);
  return (index) => {
    const name = (facet: FilterField) =>
      names[facets[index * FACETS.length + PLACES[facet]] as number] as string;
    return {
      categories: name('categories'),
      endorsers: name('endorsers'),
      endorser_states: name('endorser_states'),
      states: name('states'),
      elections: name('elections'),
      contest_kinds: name('contest_kinds'),
      levels: name('levels'),
      types: name('types') as ChangeType,
    };
  };
}

function openChanges(changes: RenderedChanges): EntryAt[] {
  const { epoch, jsonStarts, ends, offsets, sequences, times } = changes;
  const bytes = Buffer.from(changes.bytes.buffer);
  const facetsOf = openFacets(changes);
  return Array.from(ends, (end, index) => {
    const start = ends[index - 1] ?? 0;
    const json = jsonStarts[index] as number;
    const sequence = sequences[index] as number;
    const occurredAt = times[index] as number;
    const entry = new LogEntry(
      { epoch, sequence, occurredAt, facets: facetsOf(index) },
      { bytes, start, json, end },
    );
    return { entry, offset: offsets[index] as number };
  });
}

/** The entries of changes of one epoch that do not come from a partition. */
export function createEntries(changes: readonly Change[]): LogEntry[] {
  return openChanges(renderChanges(changes)).map(({ entry }) => entry);
}

/** The entries of what was fetched, and where each lies in its partition. What is no change is counted, and left out. */
export function openRecords(changes: RenderedChanges, log: Logger): EntryAt[] {
  for (const { offset, reason } of changes.failures) {
    undecodableRecords.inc();
    log.error({ reason, offset }, 'a record of the changes topic is no change');
  }
  return openChanges(changes);
}
