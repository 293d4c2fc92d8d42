import type { ChangeFacets } from '../domain/stream-filter.ts';
import { FrameWriter } from '../schemas/event-frames.ts';
import { FACET_FIELDS, FACET_PATHS, FILTER_FIELDS, type FilterField } from '../schemas/vocabulary.ts';
import { type EventAt, RenderedEvent } from './rendered-event.ts';
import type { ChangeRecord } from './transferable-records.ts';

/*
 * A gateway's decoder thread sends its main thread changes as typed arrays with a slot for each. Typed arrays are
 * transferred without a copy; an object for each change would be cloned.
 */

/** A record of the changes topic that could not be decoded. */
export interface DecodeFailure {
  offset: number;
  reason: string;
}

/** Decoded and rendered changes of one epoch. */
export interface TransferableChanges {
  /** The frames of the changes, one after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where the JSON of each frame begins in `bytes`. */
  jsonStarts: Uint32Array<ArrayBuffer>;
  /** Where each frame ends in `bytes`. */
  ends: Uint32Array<ArrayBuffer>;
  /** The offset of each change in its partition. */
  offsets: Float64Array<ArrayBuffer>;
  sequences: Float64Array<ArrayBuffer>;
  /** When each change occurred, in milliseconds since 1970. */
  times: Float64Array<ArrayBuffer>;
  /** For each change, an index into `names` for each of `FILTER_FIELDS`. */
  facets: Uint32Array<ArrayBuffer>;
  names: string[];
  failures: DecodeFailure[];
  /** The highest epoch of the changes that were left out; null if none is higher than theirs. */
  laterEpoch: number | null;
}

/** The index of each facet among those of a change. */
const FACET_INDEX = Object.fromEntries(FILTER_FIELDS.map((facet, index) => [facet, index])) as Record<
  FilterField,
  number
>;
const BODY_FACET_INDEXES = FACET_FIELDS.map((facet) => FACET_INDEX[facet]);

/** Each thread has its own. Its buffer is reused, because fresh memory costs page faults. */
const writer = new FrameWriter(FACET_FIELDS.map((facet) => FACET_PATHS[facet].join('.')));

/** Decodes records of the changes topic, and renders their events. Changes of another epoch are left out. */
export function packChanges(records: readonly ChangeRecord[], epoch: number): TransferableChanges {
  const { length } = records;
  const jsonStarts = new Uint32Array(length);
  const ends = new Uint32Array(length);
  const offsets = new Float64Array(length);
  const sequences = new Float64Array(length);
  const times = new Float64Array(length);
  const facets = new Uint32Array(length * FILTER_FIELDS.length);
  const nameIndex = new Map<string, number>();
  const indexOf = (name: string) => {
    const known = nameIndex.get(name) ?? nameIndex.size;
    if (known === nameIndex.size) nameIndex.set(name, known);
    return known;
  };
  const failures: DecodeFailure[] = [];
  let newestEpoch = epoch;
  let count = 0;
  writer.clear();
  for (const { offset, value } of records) {
    const before = writer.end;
    try {
      writer.write(value);
    } catch (error) {
      failures.push({ offset, reason: String(error) });
      continue;
    }
    if (writer.epoch !== epoch) {
      newestEpoch = Math.max(newestEpoch, writer.epoch);
      writer.retreat(before);
      continue;
    }
    jsonStarts[count] = writer.jsonStart;
    ends[count] = writer.end;
    offsets[count] = offset;
    sequences[count] = writer.sequence;
    times[count] = writer.occurredAt;
    const slot = count * FILTER_FIELDS.length;
    for (let capture = 0; capture < BODY_FACET_INDEXES.length; capture += 1) {
      facets[slot + (BODY_FACET_INDEXES[capture] as number)] = indexOf(writer.textOf(capture));
    }
    facets[slot + FACET_INDEX.types] = indexOf(writer.type);
    count += 1;
  }
  return {
    bytes: writer.copyFrames(),
    jsonStarts: jsonStarts.slice(0, count),
    ends: ends.slice(0, count),
    offsets: offsets.slice(0, count),
    sequences: sequences.slice(0, count),
    times: times.slice(0, count),
    facets: facets.slice(0, count * FILTER_FIELDS.length),
    names: [...nameIndex.keys()],
    failures,
    laterEpoch: newestEpoch > epoch ? newestEpoch : null,
  };
}

/** Creates the events of packed changes, with their offsets. */
export function unpackChanges(packed: TransferableChanges): EventAt[] {
  const { bytes, jsonStarts, ends, offsets, sequences, times } = packed;
  const frames = Buffer.from(bytes.buffer);
  const rendered = { frames, jsonStarts, ends, sequences, times, facetsAt: createFacetLookup(packed) };
  return Array.from(offsets, (offset, index) => ({ event: new RenderedEvent(rendered, index), offset }));
}

function createFacetLookup({ facets, names }: TransferableChanges): (index: number) => ChangeFacets {
  const shared = names.map(shareName);
  return (index) => {
    const values: Partial<Record<FilterField, string>> = {};
    // A loop of assignments takes a tenth of the time of Object.fromEntries.
    let slot = index * FILTER_FIELDS.length;
    for (const field of FILTER_FIELDS) {
      values[field] = shared[facets[slot] as number] as string;
      slot += 1;
    }
    return values as ChangeFacets;
  };
}

/** Slugs and other names that several events share. */
const names = new Map<string, string>();
/** When it holds this many names, sharing starts over. */
const MAX_NAMES = 100_000;

/** Returns the one copy of a name that all events share: a million events name a few thousand endorsers. */
function shareName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (names.size >= MAX_NAMES) names.clear();
  names.set(name, name);
  return name;
}
