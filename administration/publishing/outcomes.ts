import type { ClientBase, Pool } from 'pg';
import type { Publication } from '../../store/access/publications.ts';
import { loadSubmittedChanges } from '../../store/stream/change-submissions.ts';
import { loadConsumerOffsets, loadTopicId } from '../../store/stream/consumer-offsets.ts';
import { loadReasons } from '../../store/stream/rejected-submissions.ts';

/** The outcome of a submission. */
export type Outcome =
  /** It is in Kafka. */
  | { status: 'submitted' }
  /** It made changes, whose events are on the stream. */
  | { status: 'applied'; events: string[] }
  /** It said what the service knew already. */
  | { status: 'unchanged' }
  | { status: 'rejected'; reason: { code: string; message: string } };

/** The most events of a submission to name if a publication has several submissions. */
const EVENTS_OF_EACH = 20;
/** A position of the most picks can replace as many. */
const EVENTS_OF_ONE = 1000;

const keyOf = ({ partition, offset }: { partition: number; offset: number }) => `${partition}/${offset}`;

/**
 * The outcome of each submission of a publication, in its order. It is exact, because a submission's offset, changes and
 * rejection are committed together (INV-8).
 *
 * @param topic the topic of submissions
 * @returns null if the topic was made anew since: nothing is known about submissions of the earlier one
 */
export async function loadOutcomes(
  pool: ClientBase | Pool,
  topic: string,
  publication: Publication,
): Promise<Outcome[] | null> {
  const { topicId, partitions, offsets, afterSequence, afterRejection } = publication;
  const known = await loadTopicId(pool, topic);
  if (known !== null && known !== topicId) return null;
  // Before the changes and rejections: those of an offset below are then committed.
  const reached = await loadConsumerOffsets(pool, topic);
  const places = partitions.map((partition, index) => ({ partition, offset: offsets[index] ?? 0 }));
  const applied = places.filter(({ partition, offset }) => offset < (reached.get(partition) ?? 0));
  const ofEach = places.length === 1 ? EVENTS_OF_ONE : EVENTS_OF_EACH;
  const changes = await loadSubmittedChanges(pool, { afterSequence, ofEach }, applied);
  const changesOf = Map.groupBy(changes, keyOf);
  const others = applied.filter((place) => !changesOf.has(keyOf(place)));
  const reasons = others.length === 0 ? [] : await loadReasons(pool, afterRejection, others);
  const reasonOf = new Map(reasons.map(({ code, message, ...place }) => [keyOf(place), { code, message }]));
  const settled = new Set(applied.map(keyOf));
  return places.map((place): Outcome => {
    const key = keyOf(place);
    if (!settled.has(key)) return { status: 'submitted' };
    const reason = reasonOf.get(key);
    if (reason) return { status: 'rejected', reason };
    const made = changesOf.get(key);
    if (!made) return { status: 'unchanged' };
    if (made.some(({ isWaiting }) => isWaiting)) return { status: 'submitted' };
    return { status: 'applied', events: made.flatMap(({ eventId }) => eventId ?? []) };
  });
}
