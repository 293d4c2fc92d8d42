import { readTopic } from '../../kafka/reading/read-topic.ts';
import { findChange } from '../../schemas/change.ts';
import type { Brokers } from '../../service/brokers.ts';
import type { OnProgress } from '../progress.ts';

/** A range of sequences, both ends included. */
export interface SequenceRange {
  from: number;
  to: number;
}

/** The ranges of unseen numbers. */
function findGaps(seen: Uint8Array, { from }: SequenceRange): SequenceRange[] {
  const gaps: SequenceRange[] = [];
  for (let index = 0; index < seen.length; index += 1) {
    if (seen[index]) continue;
    const last = gaps.at(-1);
    if (last && last.to === from + index - 1) last.to += 1;
    else gaps.push({ from: from + index, to: from + index });
  }
  return gaps;
}

/**
 * Reads the whole changes topic and finds missing changes of a range.
 *
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function findHoles(
  { brokers, topic, epoch }: { brokers: Brokers; topic: string; epoch: number },
  range: SequenceRange,
  onProgress: OnProgress,
): Promise<SequenceRange[]> {
  const seen = new Uint8Array(Math.max(0, range.to - range.from + 1));
  for await (const { records } of readTopic({
    brokers,
    topic,
    clientId: 'ballot-endorsements-ops',
    onProgress,
  })) {
    for (const { value } of records) {
      const change = findChange(value);
      if (change?.epoch === epoch) seen[change.sequence - range.from] = 1;
    }
  }
  return findGaps(seen, range);
}
