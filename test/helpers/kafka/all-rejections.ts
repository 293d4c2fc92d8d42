import { type RejectionPage, readRejections } from '../../../administration/rejections/read-rejections.ts';
import type { Brokers } from '../../../service/brokers.ts';

/** All rejections of a topic from some offsets on, as one page. */
export async function loadAllRejections(
  place: { brokers: Brokers; topic: string },
  from?: ReadonlyMap<number, number>,
): Promise<RejectionPage> {
  const all: RejectionPage = { rejections: [], strangers: 0, ends: new Map(), oldest: new Map() };
  for await (const { rejections, strangers, ends, oldest } of readRejections(place, from)) {
    all.rejections.push(...rejections);
    all.strangers += strangers;
    all.ends = ends;
    all.oldest = oldest;
  }
  return all;
}
