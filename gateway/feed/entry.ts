import type { ChangeFacets } from '../../domain/stream-filter.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { renderEvent, renderFrame } from '../../schemas/event.ts';
import type { Logger } from '../../service/log.ts';
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

const FRAME_END = Buffer.byteLength('\n\n');

/** A change as the gateway keeps it: decoded once, its bytes rendered once, shared by every reader (INV-11). */
export class LogEntry {
  readonly epoch: number;
  readonly sequence: number;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
  readonly facets: ChangeFacets;
  /** The event as a Server-Sent Event. */
  readonly frame: Buffer;
  readonly #jsonBytes: number;
  #position: Position | undefined;

  /** @throws AvroDecodeError when the value is not a change. */
  static decode(value: Buffer): LogEntry {
    return new LogEntry(changeCodec.decode(value));
  }

  constructor(change: Change) {
    this.epoch = change.epoch;
    this.sequence = change.sequence;
    this.id = change.id;
    this.occurredAt = change.occurred_at;
    this.facets = {
      categories: change.endorser.category.slug,
      endorsers: change.endorser.slug,
      endorser_states: change.endorser.state,
      states: change.election.state,
      elections: change.election.slug,
      contest_kinds: change.contest.kind,
      levels: change.contest.district.level,
      types: change.type,
    };
    const json = renderEvent(change);
    this.frame = Buffer.from(renderFrame({ event: 'endorsement', id: this.id, data: json }));
    this.#jsonBytes = Buffer.byteLength(json);
  }

  /** The event's body as JSON: the part of the frame that holds it. */
  get json(): Buffer {
    const end = this.frame.length - FRAME_END;
    return this.frame.subarray(end - this.#jsonBytes, end);
  }

  /** Roughly what it costs to keep, in bytes. */
  get bytes(): number {
    return this.frame.length + 700;
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

/** Decodes what was fetched; what is no change of this epoch is left out, and what is no change at all is counted. */
export function decodeRecords(
  records: KafkaLogRecord[],
  epoch: number,
  logger: Logger,
): { entry: LogEntry; offset: number }[] {
  return records.flatMap(({ offset, value }) => {
    try {
      const entry = LogEntry.decode(value);
      return entry.epoch === epoch ? [{ entry, offset }] : [];
    } catch (error) {
      undecodableRecords.inc();
      logger.error({ error, offset }, 'a record of the changes topic is no change');
      return [];
    }
  });
}
