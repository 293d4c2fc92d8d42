import { topicNames } from '../../kafka/topic-names.ts';
import type { Rejection } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readSubmission } from './describe.ts';
import { findNamed, nameOf } from './name.ts';
import { byTime, readRejections } from './read-rejections.ts';
import type { TopicsPlace } from './retry.ts';

/**
 * The rejections of these names, each once. Reads the whole topic, which can take minutes.
 *
 * @param names each `partition/offset`, or `partition/offset@time` if several have that origin
 * @param nothing the sentence that says that nothing was done
 * @throws OperatorError if one is not kept, or its name is ambiguous
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function findChosen(
  { brokers, topicPrefix, onProgress }: TopicsPlace,
  names: readonly string[],
  nothing: string,
): Promise<Rejection[]> {
  const { rejected: topic } = topicNames(topicPrefix);
  const rejections: Rejection[] = [];
  for await (const page of readRejections({ brokers, topic, ...(onProgress && { onProgress }) })) {
    const isNamed = (one: Rejection) => names.some((name) => findNamed([one], name).length > 0);
    rejections.push(...page.rejections.filter(isNamed));
  }
  rejections.sort(byTime);
  return [...new Set(names.map((name) => chooseOne(rejections, name, nothing)))];
}

/**
 * The only rejection of a name. The operator may mean any of several, and a wrong one could undo a newer position.
 *
 * @throws OperatorError as `findChosen` does
 */
export function chooseOne(rejections: readonly Rejection[], name: string, nothing: string): Rejection {
  const named = findNamed(rejections, name);
  const [found] = named;
  if (!found) {
    throw new OperatorError(
      `No rejected submission of origin ${name} is kept; "rejected list" shows them. ${nothing}.`,
    );
  }
  if (named.length === 1) return found;
  throw new OperatorError(
    `${named.length} different rejected submissions have the origin ${name}. ${nothing}. Add the time of the one ` +
      `that you mean: ${named.map(describeChoice).join(', ')}.`,
  );
}

function describeChoice(rejection: Rejection): string {
  const submission = readSubmission(rejection);
  return `${nameOf(rejection)} (${submission ? `${submission.endorser}, ${submission.contest}` : 'cannot be read'})`;
}
