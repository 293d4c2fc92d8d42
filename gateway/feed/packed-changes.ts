import { type ChangeFacets, facetsOf } from '../../domain/stream-filter.ts';
import { type ChangeType, FILTER_FIELDS, type FilterField } from '../../schemas/vocabulary.ts';
import {
  type ChangeRecord,
  type DecodedRecord,
  type DecodeFailure,
  type EntryAt,
  LogEntry,
  renderFrames,
  shareName,
} from './entry.ts';

/*
 * A gateway's main thread and its decoder thread send each other records and changes as typed arrays with a slot for each.
 * Typed arrays are transferred without a copy; an object for each change would be cloned.
 */

/** Fetched records of one partition. */
export interface PackedRecords {
  /** The values of the records, one after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where each value ends in `bytes`. */
  ends: Uint32Array<ArrayBuffer>;
  offsets: Float64Array<ArrayBuffer>;
}

/** Decoded and rendered changes of one epoch. */
export interface PackedChanges {
  epoch: number;
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
}

/** The index of each facet among those of a change. */
const FACET_INDEX = Object.fromEntries(FILTER_FIELDS.map((facet, index) => [facet, index])) as Record<
  FilterField,
  number
>;

/** Packs records. One without a value becomes empty, which cannot be decoded either. */
export function packRecords(records: readonly ChangeRecord[]): PackedRecords {
  const ends = new Uint32Array(records.length);
  const offsets = new Float64Array(records.length);
  let length = 0;
  for (const [index, { offset, value }] of records.entries()) {
    length += value?.length ?? 0;
    ends[index] = length;
    offsets[index] = offset;
  }
  const bytes = new Uint8Array(length);
  for (const [index, { value }] of records.entries()) if (value) bytes.set(value, ends[index - 1] ?? 0);
  return { bytes, ends, offsets };
}

export function unpackRecords({ bytes, ends, offsets }: PackedRecords): ChangeRecord[] {
  const all = Buffer.from(bytes.buffer);
  return Array.from(ends, (end, index) => ({
    offset: offsets[index] as number,
    value: all.subarray(ends[index - 1] ?? 0, end),
  }));
}

export function packChanges(
  { decoded, failures }: { decoded: readonly DecodedRecord[]; failures: DecodeFailure[] },
  epoch: number,
): PackedChanges {
  const { length } = decoded;
  const offsets = new Float64Array(length);
  const sequences = new Float64Array(length);
  const times = new Float64Array(length);
  const facets = new Uint32Array(length * FILTER_FIELDS.length);
  const nameIndex = new Map<string, number>();
  for (const [index, { offset, change }] of decoded.entries()) {
    offsets[index] = offset;
    sequences[index] = change.sequence;
    times[index] = change.occurred_at;
    const changeFacets = facetsOf(change.type, change);
    for (const facet of FILTER_FIELDS) {
      const name = changeFacets[facet];
      const known = nameIndex.get(name) ?? nameIndex.size;
      if (known === nameIndex.size) nameIndex.set(name, known);
      facets[index * FILTER_FIELDS.length + FACET_INDEX[facet]] = known;
    }
  }
  const names = [...nameIndex.keys()];
  return { epoch, ...renderFrames(decoded), offsets, sequences, times, facets, names, failures };
}

/** Creates the entries of packed changes, with their offsets. */
export function unpackChanges(packed: PackedChanges): EntryAt[] {
  const { epoch, jsonStarts, ends, offsets, sequences, times } = packed;
  const bytes = Buffer.from(packed.bytes.buffer);
  const facetsAt = createFacetLookup(packed);
  return Array.from(ends, (end, index) => {
    const entry = new LogEntry(
      {
        epoch,
        sequence: sequences[index] as number,
        occurredAt: times[index] as number,
        facets: facetsAt(index),
      },
      { bytes, start: ends[index - 1] ?? 0, json: jsonStarts[index] as number, end },
    );
    return { entry, offset: offsets[index] as number };
  });
}

function createFacetLookup({ facets, names }: PackedChanges): (index: number) => ChangeFacets {
  const shared = names.map(shareName);
  return (index) => {
    const name = (facet: FilterField) =>
      shared[facets[index * FILTER_FIELDS.length + FACET_INDEX[facet]] as number] as string;
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
