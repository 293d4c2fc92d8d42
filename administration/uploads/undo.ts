import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { PickChange } from '../../domain/position.ts';
import { decideUndo, type UndoDecision } from '../../domain/undo.ts';
import { shorten } from '../../schemas/problems.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import { createPause } from '../../service/pause.ts';
import {
  beginPositions,
  findKnownUpload,
  keepPositions,
  readUploadedPositions,
  type UploadedPosition,
} from '../../store/console/upload-positions.ts';
import { saveUpload, stopUpload, type Upload } from '../../store/console/uploads.ts';
import { BatchWriter } from './batches.ts';

/** The most positions of each kind that a page lists. */
const MAX_LISTED = 100;
/** The longest name of an undoing, in characters. */
const MAX_NAME = 200;
/** How many positions are stored at a time. */
const KEPT_AT_ONCE = 100;

/** Whether an upload can be undone. */
export type Undoability =
  | 'possible'
  /** Some of its submissions are on their way. */
  | 'early'
  /** Changes since then are no longer kept. */
  | 'late'
  /** Nothing of it is sent, or an earlier version of the service has made it. */
  | 'never';

/** When undoing an upload ends, at the latest: as long as its submissions are kept, and the changes since. */
export const undoUntil = ({ changedAt }: Upload, keptMs: number): Date =>
  new Date(changedAt.getTime() + keptMs);

/**
 * Finds out whether an upload can be undone.
 *
 * @param work.keptMs how long publications are kept, in milliseconds
 * @param work.now milliseconds since 1970
 */
export async function findUndoability(
  client: Parameters<typeof findKnownUpload>[0],
  { upload, keptMs, now }: { upload: Upload; keptMs: number; now: number },
): Promise<Undoability> {
  if (upload.state === 'draft') return 'never';
  const { isKept, isKnown, isOnItsWay } = await findKnownUpload(client, upload.id);
  if (!isKept) return 'never';
  if (!isKnown || now >= undoUntil(upload, keptMs).getTime()) return 'late';
  return isOnItsWay ? 'early' : 'possible';
}

/** A position that undoing restores, with its changes. */
export interface Restored extends UploadedPosition {
  changes: PickChange[];
}

/** A position that undoing leaves as it is. */
export interface Left extends UploadedPosition {
  /** Why it cannot be restored; null if somebody has changed it since. */
  reason: string | null;
}

/** The effects of undoing an upload. */
export interface UndoEffects {
  /** The number of positions by outcome, and of events by type. */
  positions: Record<UndoDecision['outcome'], number>;
  events: Record<ChangeType, number>;
  /** The first positions that are restored, and the first that stay. */
  restored: Restored[];
  left: Left[];
  /** Names what is shown: it differs once a position or its outcome has changed. */
  seen: string;
}

/** The name of an undoing, in the place of a file's. */
const nameUndo = (fileName: string) => shorten(`Undo of ${fileName}`, MAX_NAME);

const decide = (position: UploadedPosition): UndoDecision =>
  decideUndo({
    ...position,
    contest: position.isRemoved
      ? null
      : {
          key: position.contest,
          vote_method: position.voteMethod,
          hasChoice: (choice) => position.choices.some(({ key, isRemoved }) => key === choice && !isRemoved),
        },
  });

/** The account that undoes an upload. */
export interface UndoWork {
  accountId: number;
  upload: Upload;
}

/**
 * Compares what stands with what stood before an upload.
 *
 * @param take is given each position that is restored, and its decision
 */
export async function compareUndo(
  client: ClientBase,
  { accountId, upload }: UndoWork,
  take?: (position: UploadedPosition, decision: UndoDecision & { outcome: 'restored' }) => Promise<void>,
): Promise<UndoEffects> {
  const pause = createPause();
  const shown = createHash('sha256');
  const effects: Omit<UndoEffects, 'seen'> = {
    positions: { unneeded: 0, changed: 0, impossible: 0, restored: 0 },
    events: { created: 0, updated: 0, deleted: 0 },
    ...{ restored: [], left: [] },
  };
  for await (const position of readUploadedPositions(client, { accountId, uploadId: upload.id })) {
    await pause();
    const decision = decide(position);
    const { outcome } = decision;
    const { endorserId, contestId, before, present } = position;
    shown.update(JSON.stringify([outcome, endorserId, contestId, before, present]));
    effects.positions[outcome] += 1;
    if (decision.outcome === 'restored') {
      for (const { type } of decision.changes) effects.events[type] += 1;
      if (effects.restored.length < MAX_LISTED)
        effects.restored.push({ ...position, changes: decision.changes });
      await take?.(position, decision);
    } else if (outcome !== 'unneeded' && effects.left.length < MAX_LISTED) {
      const reason = decision.outcome === 'impossible' ? decision.reason : null;
      effects.left.push({ ...position, reason });
    }
  }
  return { ...effects, seen: shown.digest('base64url') };
}

/** The effects of undoing are not those that the person has seen. */
export class UndoChangedError extends Error {
  override name = 'UndoChangedError';
}

/**
 * Makes the undoing of an upload, in batches that are sent like those of a table, and forgets what is not sent of the
 * upload.
 *
 * @param client in a transaction that holds the upload; it must be rolled back after an error
 * @param seen the name of the effects that the person has seen
 * @returns the id of the undoing
 * @throws UndoChangedError if the effects are others, or there are none
 * @throws TooManyFilesError as `saveUpload` does
 */
export async function makeUndo(
  client: ClientBase,
  { accountId, upload, person }: UndoWork & { person: string },
  seen: string,
): Promise<number> {
  const id = await saveUpload(client, {
    ...{ accountId, person, content: null, undoes: upload.id, header: [] },
    fileName: nameUndo(upload.fileName),
    settings: { map: [], endorser: null, election: null, isWhole: false },
  });
  await beginPositions(client, id);
  const batches = new BatchWriter(client, id);
  let kept: Parameters<typeof keepPositions>[2][number][] = [];
  const effects = await compareUndo(client, { accountId, upload }, async (position, { submission }) => {
    const { endorserId, contestId, present } = position;
    await batches.add(submission);
    kept.push({ endorserId, contestId, before: present });
    if (kept.length < KEPT_AT_ONCE) return;
    await keepPositions(client, id, kept);
    kept = [];
  });
  await keepPositions(client, id, kept);
  const made = await batches.finish();
  if (made === 0 || effects.seen !== seen) {
    throw new UndoChangedError('Undoing the upload would have other effects than those that were shown.');
  }
  await stopUpload(client, upload.id);
  return id;
}
