import type { ChangeFacets } from '../../domain/stream-filter.ts';
import type { FetchedRecord } from '../../kafka/record-batches.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { FRAME_END, renderEvent, renderFrameHead } from '../../schemas/event.ts';
import { FILTER_FIELDS } from '../../schemas/vocabulary.ts';
import { FrameSheet } from './frame-sheet.ts';

/**
 * Changes that came together, decoded and rendered: lists with a place for each instead of an object each, so that they
 * go from one thread to another at little cost.
 */
export interface RenderedChanges {
  epoch: number;
  /** Their frames, one after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where in the bytes the JSON of each begins. */
  jsonStarts: Uint32Array<ArrayBuffer>;
  /** Where in the bytes the frame of each ends. */
  ends: Uint32Array<ArrayBuffer>;
  /** Where each lies in its partition. */
  offsets: Float64Array<ArrayBuffer>;
  sequences: Float64Array<ArrayBuffer>;
  /** When each occurred, in milliseconds since 1970. */
  times: Float64Array<ArrayBuffer>;
  /** As many of each as `FILTER_FIELDS` names, which are places in `names`. */
  facets: Uint32Array<ArrayBuffer>;
  names: string[];
  /** What was no change at all. */
  failures: { offset: number; reason: string }[];
}

interface ChangeAt {
  offset: number;
  change: Change;
  json: string;
}

const sheet = new FrameSheet();

/** Decodes and renders records of the changes topic. What is no change of this epoch is left out. */
export function renderRecords(
  records: readonly Pick<FetchedRecord, 'offset' | 'value'>[],
  epoch: number,
): RenderedChanges {
  const failures: RenderedChanges['failures'] = [];
  const changes: ChangeAt[] = [];
  for (const { offset, value } of records) {
    try {
      const change = changeCodec.decode(value);
      if (change.epoch === epoch) changes.push({ offset, change, json: renderEvent(change) });
    } catch (error) {
      failures.push({ offset, reason: String(error) });
    }
  }
  return { ...layOut(changes, epoch), failures };
}

/** Renders changes of one epoch that do not come from a partition. */
export function renderChanges(changes: readonly Change[]): RenderedChanges {
  const rendered = changes.map((change) => ({ offset: 0, change, json: renderEvent(change) }));
  return { ...layOut(rendered, changes[0]?.epoch ?? 0), failures: [] };
}

function layOut(changes: readonly ChangeAt[], epoch: number): Omit<RenderedChanges, 'failures'> {
  const { length } = changes;
  const jsonStarts = new Uint32Array(length);
  const ends = new Uint32Array(length);
  const offsets = new Float64Array(length);
  const sequences = new Float64Array(length);
  const times = new Float64Array(length);
  const facets = new Uint32Array(length * FILTER_FIELDS.length);
  const names = new Map<string, number>();
  changes.forEach(({ offset, change, json }, index) => {
    jsonStarts[index] = sheet.write(renderFrameHead({ event: 'endorsement', id: change.id }));
    ends[index] = sheet.write(json + FRAME_END);
    offsets[index] = offset;
    sequences[index] = change.sequence;
    times[index] = change.occurred_at;
    const texts = facetsOf(change);
    FILTER_FIELDS.forEach((facet, place) => {
      const text = texts[facet];
      const at = names.get(text) ?? names.size;
      if (at === names.size) names.set(text, at);
      facets[index * FILTER_FIELDS.length + place] = at;
    });
  });
  const bytes = sheet.take();
  return { epoch, bytes, jsonStarts, ends, offsets, sequences, times, facets, names: [...names.keys()] };
}

function facetsOf({ type, endorser, contest, election }: Change): ChangeFacets {
  return {
    categories: endorser.category.slug,
    endorsers: endorser.slug,
    endorser_states: endorser.state,
    states: election.state,
    elections: election.slug,
    contest_kinds: contest.kind,
    levels: contest.district.level,
    types: type,
  };
}
