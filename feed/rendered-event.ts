import type { ChangeFacets } from '../domain/stream-filter.ts';
import { parseCursor } from '../schemas/cursor.ts';
import { FRAME_END, parseFrameId } from '../schemas/event.ts';

/** The point in the stream after `sequence`, at which a reader can resume. */
export interface ResumePoint {
  sequence: number;
  /** Milliseconds since 1970: the last change's time before this point, or a later one before the next. */
  time: number;
  /** By partition: the offset from which a reader gets every change after this point. */
  offsets: readonly number[];
}

/**
 * Returns the later of the feed's point and a client's. If both follow the same change, the result has the
 * feed's offsets, because a client's may be forged, and the later time, so that cursors never go back.
 */
export function laterPoint(own: ResumePoint, clients: ResumePoint): ResumePoint {
  if (own.sequence !== clients.sequence) return own.sequence > clients.sequence ? own : clients;
  return own.time >= clients.time ? own : { ...own, time: clients.time };
}

/** A run of changes without a gap, and the point after it. */
export interface Chunk {
  events: RenderedEvent[];
  resumePoint: ResumePoint;
}

/** An event and its offset in its partition. */
export interface EventAt {
  event: RenderedEvent;
  offset: number;
}

/** Changes that were rendered together. Their events share it. */
export interface RenderedChanges {
  /** The frames of the changes, one after the other. */
  frames: Buffer;
  /** Where the JSON of each frame begins. */
  jsonStarts: Uint32Array;
  /** Where each frame ends. */
  ends: Uint32Array;
  sequences: Float64Array;
  /** When each change occurred, in milliseconds since 1970. */
  times: Float64Array;
  facetsAt(index: number): ChangeFacets;
}

/** Approximate memory of an event besides its frame: its object, its facets, its numbers and its slots in lists. */
export const OVERHEAD_BYTES = 350;

/** A change as the gateway keeps it: decoded once and rendered once, for all readers (INV-11). */
export class RenderedEvent {
  readonly #changes: RenderedChanges;
  readonly #index: number;
  #facets: ChangeFacets | undefined;
  #resumePoint: ResumePoint | undefined;

  constructor(changes: RenderedChanges, index: number) {
    this.#changes = changes;
    this.#index = index;
  }

  get sequence(): number {
    return this.#changes.sequences[this.#index] as number;
  }

  /** Milliseconds since 1970. */
  get occurredAt(): number {
    return this.#changes.times[this.#index] as number;
  }

  /** The values that filters look at. */
  get facets(): ChangeFacets {
    this.#facets ??= this.#changes.facetsAt(this.#index);
    return this.#facets;
  }

  /** The event's id, which is also a cursor. */
  get id(): string {
    return parseFrameId(this.#changes.frames.toString('latin1', this.#start, this.#jsonStart));
  }

  /** The event as a Server-Sent Event. */
  get frame(): Buffer {
    return this.#changes.frames.subarray(this.#start, this.#end);
  }

  /** The event's body as JSON. */
  get json(): Buffer {
    return this.#changes.frames.subarray(this.#jsonStart, this.#end - FRAME_END.length);
  }

  /** The length of `frame` in bytes. */
  get frameLength(): number {
    return this.#end - this.#start;
  }

  /** The length of `json` in bytes. */
  get jsonLength(): number {
    return this.#end - FRAME_END.length - this.#jsonStart;
  }

  /** Copies `json` into a buffer. Returns where it ends there. */
  copyJson(target: Buffer, at: number): number {
    return at + this.#changes.frames.copy(target, at, this.#jsonStart, this.#end - FRAME_END.length);
  }

  /** Copies `frame` into a buffer. Returns where it ends there. */
  copyFrame(target: Buffer, at: number): number {
    return at + this.#changes.frames.copy(target, at, this.#start, this.#end);
  }

  /** The memory of its frame. It lives as long as any of the events that were rendered together. */
  get memory(): Buffer {
    return this.#changes.frames;
  }

  /** The same event with memory of its own, which keeps nothing else alive; itself if it has. */
  detach(): RenderedEvent {
    if (this.memory.length === this.frameLength) return this;
    const { facets } = this;
    const frames = Buffer.allocUnsafeSlow(this.frameLength);
    this.copyFrame(frames, 0);
    const alone = {
      frames,
      jsonStarts: Uint32Array.of(this.#jsonStart - this.#start),
      ends: Uint32Array.of(this.frameLength),
      sequences: Float64Array.of(this.sequence),
      times: Float64Array.of(this.occurredAt),
      facetsAt: () => facets,
    };
    return new RenderedEvent(alone, 0);
  }

  /** Approximate memory that the event takes, in bytes. */
  get bytes(): number {
    return this.frameLength + OVERHEAD_BYTES;
  }

  /** The point after this change. Parsed on first use, because few events need it. */
  get resumePoint(): ResumePoint {
    this.#resumePoint ??= {
      sequence: this.sequence,
      time: this.occurredAt,
      offsets: parseCursor(this.id).offsets,
    };
    return this.#resumePoint;
  }

  get #start(): number {
    return this.#changes.ends[this.#index - 1] ?? 0;
  }

  get #jsonStart(): number {
    return this.#changes.jsonStarts[this.#index] as number;
  }

  get #end(): number {
    return this.#changes.ends[this.#index] as number;
  }
}

/** The length of the frames of events in bytes. */
export const framesLength = (events: readonly RenderedEvent[]): number =>
  events.reduce((sum, { frameLength }) => sum + frameLength, 0);
