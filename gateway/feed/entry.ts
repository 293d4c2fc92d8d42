import { type ChangeFacets, facetsOf } from '../../domain/stream-filter.ts';
import type { FetchedRecord } from '../../kafka/record-batches.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { FRAME_END, parseFrameId, renderEvent, renderFrameHead } from '../../schemas/event.ts';
import type { Logger } from '../../service/log.ts';
import { undecodableRecords } from './metrics.ts';

/** The point in the stream after `sequence`, from which a reader can resume. */
export interface ResumePoint {
  sequence: number;
  /** Milliseconds since 1970: the time of the last change before this point, or a later time up to which none followed. */
  time: number;
  /** By partition: the offset at which reading must start to get every change after this point. */
  offsets: readonly number[];
}

/**
 * The later of a point of the feed and a client's. If both follow the same change, it has the feed's offsets, because a
 * client's may be forged, and the later time, so that cursors never go back.
 */
export function laterPoint(own: ResumePoint, clients: ResumePoint): ResumePoint {
  if (own.sequence !== clients.sequence) return own.sequence > clients.sequence ? own : clients;
  return own.time >= clients.time ? own : { ...own, time: clients.time };
}

/** A run of changes without a gap, and the point after it. */
export interface Chunk {
  entries: LogEntry[];
  resumePoint: ResumePoint;
}

/** An entry and its offset in its partition. */
export interface EntryAt {
  entry: LogEntry;
  offset: number;
}

/** Approximate memory of an entry besides its bytes: 300 to 460 bytes of V8's heap, and its slots in lists. */
const OVERHEAD_BYTES = 500;

/** Where an entry's frame lies in a buffer that it shares with its neighbours. Buffers of their own would cost more. */
interface FramePlace {
  bytes: Buffer;
  start: number;
  /** Where the event's JSON begins. */
  json: number;
  end: number;
}

/** A change as the gateway keeps it: decoded once and rendered once, for all readers (INV-11). */
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

  /** The event's body as JSON. */
  get json(): Buffer {
    return this.#bytes.subarray(this.#json, this.#end - FRAME_END.length);
  }

  /** Approximate memory that the entry takes, in bytes. */
  get bytes(): number {
    return this.#end - this.#start + OVERHEAD_BYTES;
  }

  /** The point after this change. Parsed on first use, which few entries see: the last of a batch, page or write. */
  get resumePoint(): ResumePoint {
    this.#resumePoint ??= {
      sequence: this.sequence,
      time: this.occurredAt,
      offsets: parseCursor(this.id).offsets,
    };
    return this.#resumePoint;
  }
}

/** A change with the JSON of its event. */
export interface RenderedChange {
  change: Change;
  json: string;
}

/** A record of the changes topic, of which only the offset and the value matter. */
export type ChangeRecord = Pick<FetchedRecord, 'offset' | 'value'>;

/** A decoded record of the changes topic. */
export interface DecodedRecord extends RenderedChange {
  offset: number;
}

/** A record of the changes topic that could not be decoded. */
export interface DecodeFailure {
  offset: number;
  reason: string;
}

/** Decodes records of the changes topic. Changes of another epoch are left out. */
export function decodeRecords(
  records: readonly ChangeRecord[],
  epoch: number,
): { decoded: DecodedRecord[]; failures: DecodeFailure[] } {
  const decoded: DecodedRecord[] = [];
  const failures: DecodeFailure[] = [];
  for (const { offset, value } of records) {
    try {
      const change = changeCodec.decode(value);
      if (change.epoch === epoch) decoded.push({ offset, change, json: renderEvent(change) });
    } catch (error) {
      failures.push({ offset, reason: String(error) });
    }
  }
  return { decoded, failures };
}

/** Counts and logs records that could not be decoded. */
export function reportFailures(failures: readonly DecodeFailure[], log: Logger): void {
  for (const { offset, reason } of failures) {
    undecodableRecords.inc();
    log.error({ reason, offset }, 'a record of the changes topic cannot be decoded; it is skipped');
  }
}

/** The frames of changes, one after the other in one buffer. */
export interface Frames {
  bytes: Buffer<ArrayBuffer>;
  /** Where the JSON of each frame begins. */
  jsonStarts: Uint32Array<ArrayBuffer>;
  /** Where each frame ends. */
  ends: Uint32Array<ArrayBuffer>;
}

/** The most bytes that one UTF-16 unit takes in UTF-8. */
const MAX_UTF8_BYTES = 3;
/** Reused for all batches of ordinary size: fresh memory costs page faults. */
const SCRATCH = Buffer.allocUnsafeSlow(2 * 1024 * 1024);

/** Renders the Server-Sent Events of changes. */
export function renderFrames(changes: readonly RenderedChange[]): Frames {
  const texts = changes.map(({ change: { id }, json }) => ({
    head: renderFrameHead({ event: 'endorsement', id }),
    rest: json + FRAME_END,
  }));
  const characters = texts.reduce((sum, { head, rest }) => sum + head.length + rest.length, 0);
  // Encoding into a buffer that is certainly large enough is cheaper than measuring each text first.
  const needed = characters * MAX_UTF8_BYTES;
  const scratch = needed <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafeSlow(needed);
  const jsonStarts = new Uint32Array(changes.length);
  const ends = new Uint32Array(changes.length);
  let end = 0;
  for (const [index, { head, rest }] of texts.entries()) {
    end += scratch.write(head, end);
    jsonStarts[index] = end;
    end += scratch.write(rest, end);
    ends[index] = end;
  }
  // Not from Node's buffer pool: an entry would keep the whole pool block alive.
  const bytes = Buffer.allocUnsafeSlow(end);
  scratch.copy(bytes, 0, 0, end);
  return { bytes, jsonStarts, ends };
}

/** Slugs and other names that entries share. */
const names = new Map<string, string>();
/** Above this many names, sharing starts over. */
const MAX_NAMES = 100_000;

/** Returns the one copy of a name that all entries share: a million entries name a few thousand endorsers. */
export function shareName<Name extends string>(name: Name): Name {
  const known = names.get(name);
  if (known !== undefined) return known as Name;
  if (names.size >= MAX_NAMES) names.clear();
  names.set(name, name);
  return name;
}

/** Replaces every facet by the copy that all entries share. */
function shareFacets(facets: ChangeFacets): ChangeFacets {
  return {
    categories: shareName(facets.categories),
    endorsers: shareName(facets.endorsers),
    endorser_states: shareName(facets.endorser_states),
    states: shareName(facets.states),
    elections: shareName(facets.elections),
    contest_kinds: shareName(facets.contest_kinds),
    levels: shareName(facets.levels),
    types: shareName(facets.types),
  };
}

function createRenderedEntries(rendered: readonly RenderedChange[]): LogEntry[] {
  const { bytes, jsonStarts, ends } = renderFrames(rendered);
  return rendered.map(({ change }, index) => {
    const { epoch, sequence, occurred_at: occurredAt } = change;
    const place = {
      bytes,
      start: ends[index - 1] ?? 0,
      json: jsonStarts[index] as number,
      end: ends[index] as number,
    };
    return new LogEntry(
      { epoch, sequence, occurredAt, facets: shareFacets(facetsOf(change.type, change)) },
      place,
    );
  });
}

/** Creates the entries of changes that do not come from a partition. */
export function createEntries(changes: readonly Change[]): LogEntry[] {
  return createRenderedEntries(changes.map((change) => ({ change, json: renderEvent(change) })));
}

/** Decodes records of the changes topic into entries. Those that cannot be decoded are counted, logged and left out. */
export function readEntries(records: readonly ChangeRecord[], epoch: number, log: Logger): EntryAt[] {
  const { decoded, failures } = decodeRecords(records, epoch);
  reportFailures(failures, log);
  const entries = createRenderedEntries(decoded);
  return entries.map((entry, index) => ({ entry, offset: decoded[index]?.offset as number }));
}
