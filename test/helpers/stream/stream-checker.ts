import { isDeepStrictEqual } from 'node:util';
import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { InvalidCursorError, parseCursor } from '../../../schemas/cursor.ts';
import { FILTER_FIELDS, type FilterField } from '../../../schemas/vocabulary.ts';
import type { ChangeLog, EventBody } from './change-log.ts';

/**
 * Compares the received events of readers with the change log. Every id is a position. A reader with an id must have
 * received every change up to it that passes the filter, once and in the log's order, and nothing else.
 */

/** A Server-Sent Event as received. */
export interface Frame {
  event: string;
  id: string;
  data: string;
}

/** The frames of one connection of the stream, or of one answer of `/v1/events`. */
export interface Connection {
  via: 'stream' | 'page';
  /** The sequence of the cursor at its start; 0 for the beginning, null if `ready` names it. */
  after: number | null;
  frames: readonly Frame[];
}

/** Everything that one reader has received, over all its connections. */
export interface ReaderRecord {
  name: string;
  filter: StreamFilter;
  connections: readonly Connection[];
  /** The expected sequence at the end; null if the reader may have been cut anywhere. */
  upTo: number | null;
}

export interface Verdict {
  /** The faults, a sentence each. */
  faults: string[];
  /** Received changes, each counted once. */
  events: number;
  /** Changes received again, on a connection that began before the end of an earlier one. */
  repeats: number;
}

/** The first faults of a reader show the problem; thousands more show nothing. */
const MAX_FAULTS = 10;
const SEQUENCE_DIGITS = 11;
const LAST_WORDS = ['reconnect', 'error'];

/** The sequence in a cursor or an event's id. */
export function sequenceOf(id: string): number {
  return Number.parseInt(id.slice(0, SEQUENCE_DIGITS), 32);
}

/** An answer of `/v1/events` as a connection with its events, which reached its cursor. */
export function connectionOfPage(
  after: number,
  { data, next_cursor }: { data: readonly { id: string }[]; next_cursor: string },
): Connection {
  const events = data.map((event) => ({ event: 'endorsement', id: event.id, data: JSON.stringify(event) }));
  return { via: 'page', after, frames: [...events, { event: 'next_cursor', id: next_cursor, data: '' }] };
}

/** The values that filters look at, by the words of the specification and not by the code under test. */
const VALUES: Record<FilterField, (event: EventBody) => string> = {
  categories: (event) => event.endorser.category.slug,
  endorsers: (event) => event.endorser.slug,
  endorser_states: (event) => event.endorser.state,
  states: (event) => event.election.state,
  elections: (event) => event.election.slug,
  contest_kinds: (event) => event.contest.kind,
  levels: (event) => event.contest.district.level,
  types: (event) => event.type.replace('endorsement.', ''),
};

/** Whether an event passes a filter. */
export function passes(filter: StreamFilter, event: EventBody): boolean {
  return FILTER_FIELDS.every((field) => filter[field]?.includes(VALUES[field](event)) ?? true);
}

/** The progress of a reader along its connections. */
interface Progress {
  /** The sequences that pass its filter. */
  wanted: readonly number[];
  /** The furthest sequence that it has reached; null before its first connection. */
  reached: number | null;
  verdict: Verdict;
  blame: (fault: string) => void;
}

/** Judges the readers of one stream. An id must have the same text for all of them. */
export class StreamChecker {
  readonly #log: ChangeLog;
  /** By filter: the sequences that pass it, in order. */
  readonly #wanted = new Map<string, number[]>();
  /** By id: the text that was received first, and its fault, if any. */
  readonly #texts = new Map<string, { data: string; fault: string | null }>();

  constructor(log: ChangeLog) {
    this.#log = log;
  }

  judge({ name, filter, connections, upTo }: ReaderRecord): Verdict {
    const verdict: Verdict = { faults: [], events: 0, repeats: 0 };
    const wanted = this.#sequencesOf(filter);
    let reached: number | null = null;
    for (const [index, connection] of connections.entries()) {
      const blame = (fault: string) => {
        if (verdict.faults.length >= MAX_FAULTS) return;
        verdict.faults.push(`${name}, connection ${index + 1}: ${fault}`);
      };
      reached = this.#follow(connection, { wanted, reached, verdict, blame });
    }
    if (upTo !== null && (reached ?? 0) < upTo) {
      verdict.faults.push(`${name}: it came to ${reached}, and should have come to ${upTo}.`);
    }
    return verdict;
  }

  #sequencesOf(filter: StreamFilter): number[] {
    const name = JSON.stringify(filter);
    const known = this.#wanted.get(name);
    if (known) return known;
    const sequences = this.#log.events.flatMap((event, index) => (passes(filter, event) ? [index + 1] : []));
    this.#wanted.set(name, sequences);
    return sequences;
  }

  /** Follows a connection from its start. @returns the furthest sequence that the reader has reached */
  #follow({ via, after, frames }: Connection, { wanted, reached, verdict, blame }: Progress): number | null {
    const [first] = frames;
    if (!first) return reached;
    let position = after ?? sequenceOf(first.id);
    let furthest = reached ?? position;
    if (position > furthest) blame(`it began after ${position}, and the reader had come to ${furthest}.`);
    if (via === 'stream' && first.event !== 'ready') blame(`it began with ${first.event}, not with ready.`);
    if (first.event === 'ready' && sequenceOf(first.id) !== position) {
      blame(`ready says ${sequenceOf(first.id)}, and it began after ${position}.`);
    }
    let next = firstAfter(wanted, position);
    let lastId = '';
    for (const [index, frame] of frames.entries()) {
      const fault = faultOfPlace(frame, frames[index - 1]) ?? this.#faultOf(frame);
      if (fault !== null) blame(fault);
      const sequence = sequenceOf(frame.id);
      const isChange = frame.event === 'endorsement';
      if (!(sequence >= position) || (isChange && sequence === position)) {
        blame(`${frame.event} ${sequence} came when the reader was at ${position} already.`);
        continue;
      }
      for (; (wanted[next] ?? Number.POSITIVE_INFINITY) <= sequence; next += 1) {
        if (isChange && wanted[next] === sequence) continue;
        blame(`${wanted[next]} is missing before ${frame.event} ${sequence}.`);
      }
      if (isChange) {
        if (wanted[next - 1] !== sequence) blame(`${sequence} does not pass the filter.`);
        if (sequence > furthest) verdict.events += 1;
        else verdict.repeats += 1;
      }
      if (frame.id < lastId)
        blame(`the id ${frame.id} of ${frame.event} is below ${lastId}, which came before.`);
      lastId = frame.id;
      position = sequence;
      furthest = Math.max(furthest, sequence);
    }
    return furthest;
  }

  /** The fault of a frame by itself. */
  #faultOf(frame: Frame): string | null {
    if (frame.event === 'error') return `the stream failed: ${frame.data}`;
    if (frame.event !== 'endorsement') return this.#faultOfPosition(frame);
    const text = this.#texts.get(frame.id);
    if (text) return text.data === frame.data ? text.fault : `${frame.id} has two texts.`;
    const fault = this.#faultOfChange(frame);
    this.#texts.set(frame.id, { data: frame.data, fault });
    return fault;
  }

  #faultOfPosition({ event, id }: Frame): string | null {
    try {
      const { epoch, sequence } = parseCursor(id);
      if (epoch !== this.#log.epoch) return `the id of ${event} is of another epoch, ${epoch}.`;
      if (sequence > this.#log.events.length)
        return `${event} says ${sequence}, which the log does not have.`;
      const followed = this.#log.events[sequence - 1]?.id ?? '';
      return id < followed ? `the id ${id} of ${event} is below ${followed}, which it follows.` : null;
    } catch (error) {
      if (error instanceof InvalidCursorError) return `the id of ${event} is not a cursor: ${error.message}.`;
      throw error;
    }
  }

  #faultOfChange({ id, data }: Frame): string | null {
    const sequence = sequenceOf(id);
    const logged = this.#log.events[sequence - 1];
    if (!logged) return `${id} is the id of no change in the log.`;
    if (id !== logged.id) return `${sequence} has the id ${id}, in the log it has ${logged.id}.`;
    return isDeepStrictEqual(parseJson(data), logged) ? null : `${sequence} is not as in the log: ${data}`;
  }
}

/** The fault of a frame after another one. */
function faultOfPlace(frame: Frame, previous: Frame | undefined): string | null {
  if (!previous) return null;
  if (LAST_WORDS.includes(previous.event)) return `${frame.event} came after ${previous.event}.`;
  return frame.event === 'ready' ? 'ready came twice.' : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The index of the first greater one of rising numbers. */
function firstAfter(numbers: readonly number[], value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
