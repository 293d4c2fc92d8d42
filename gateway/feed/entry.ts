import type { ChangeFacets } from '../../domain/stream-filter.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { FRAME_END, parseFrameId, renderEvent, renderFrameHead } from '../../schemas/event.ts';
import type { Logger } from '../../service/log.ts';
import { FrameSheet } from './frame-sheet.ts';
import type { KafkaLogRecord } from './kafka-log.ts';
import { undecodableRecords } from './metrics.ts';

/** A place in the stream: after `sequence`. */
export interface Position {
  sequence: number;
  /** Milliseconds since 1970: when the last change before it occurred, or a later time up to which nothing did. */
  time: number;
  /** By partition: where reading must start to get everything after it. */
  offsets: readonly number[];
}

/** A run of changes without a gap, and where the reader is after it. */
export interface Chunk {
  entries: LogEntry[];
  position: Position;
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

/** Slugs that entries have in common. */
const shared = new Map<string, string>();

/** The same text, in the one place that all who have it share: a million entries name a few thousand endorsers. */
function share(text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED) shared.clear();
  shared.set(text, text);
  return text;
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
  #position: Position | undefined;

  constructor(change: Change, { bytes, start, json, end }: FramePlace) {
    this.epoch = change.epoch;
    this.sequence = change.sequence;
    this.occurredAt = change.occurred_at;
    this.facets = {
      categories: share(change.endorser.category.slug),
      endorsers: share(change.endorser.slug),
      endorser_states: change.endorser.state,
      states: change.election.state,
      elections: share(change.election.slug),
      contest_kinds: change.contest.kind,
      levels: change.contest.district.level,
      types: change.type,
    };
    this.#bytes = bytes;
    this.#start = start;
    this.#json = json;
    this.#end = end;
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
  get position(): Position {
    this.#position ??= {
      sequence: this.sequence,
      time: this.occurredAt,
      offsets: parseCursor(this.id).offsets,
    };
    return this.#position;
  }
}

const sheet = new FrameSheet();

interface RenderedChange {
  change: Change;
  json: string;
}

function keepTogether(changes: readonly RenderedChange[]): LogEntry[] {
  let start = 0;
  const written = changes.map(({ change, json: text }) => {
    const json = sheet.write(renderFrameHead({ event: 'endorsement', id: change.id }));
    sheet.write(text);
    const place = { start, json, end: sheet.write(FRAME_END) };
    start = place.end;
    return { change, place };
  });
  const bytes = sheet.take();
  return written.map(({ change, place }) => new LogEntry(change, { bytes, ...place }));
}

/** The entries of changes that came together. */
export function createEntries(changes: readonly Change[]): LogEntry[] {
  return keepTogether(changes.map((change) => ({ change, json: renderEvent(change) })));
}

/** Decodes what was fetched; what is no change of this epoch is left out, and what is no change at all is counted. */
export function decodeRecords(
  records: KafkaLogRecord[],
  epoch: number,
  logger: Logger,
): { entry: LogEntry; offset: number }[] {
  const offsets: number[] = [];
  const changes: RenderedChange[] = [];
  for (const { offset, value } of records) {
    try {
      const change = changeCodec.decode(value);
      if (change.epoch !== epoch) continue;
      changes.push({ change, json: renderEvent(change) });
      offsets.push(offset);
    } catch (error) {
      undecodableRecords.inc();
      logger.error({ error, offset }, 'a record of the changes topic is no change');
    }
  }
  return keepTogether(changes).map((entry, index) => ({ entry, offset: offsets[index] ?? 0 }));
}
