export { BallotEndorsements, type EventsOptions, type StreamOptions } from './client.ts';
export {
  ApiError,
  BallotEndorsementsError,
  CursorExpiredError,
  IncompleteExportError,
  NetworkError,
  StorageError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
export type { Checkpoint, EventReader } from './events/event-reader.ts';
export type { ExportReader } from './exports/export-reader.ts';
export { MemoryStorage } from './mirror/memory-storage.ts';
export type { Mirror, MirrorOptions, Verification, VerifyOptions } from './mirror/mirror.ts';
export type { MirrorChange, MirroredEndorsement } from './mirror/record.ts';
export type { IdRange, MirrorPosition, MirrorStorage } from './mirror/storage.ts';
export type { CallOptions, ClientOptions, PublishOptions, Retry } from './options.ts';
export type * from './types.ts';
