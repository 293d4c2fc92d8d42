import { get } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import { SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { useTestService } from '../../helpers/service/service.ts';

const CHANGES = 120;
/** Long enough for all changes together to be a page of more than 256 KB, made in a reused buffer. */
const LONG = 'An endorsement of many words. '.repeat(100);

const service = useTestService({ catalogue: SMALL_BALLOT });
let events: { id: string }[];

beforeAll(async () => {
  await service.submit(
    Array.from({ length: CHANGES }, (_, index) =>
      endorse('nation-herald', 'mayor', 'ann', { statement: `${LONG}${index}` }),
    ),
  );
  events = await service.eventsOnceThereAre(CHANGES);
});

const pageAfter = async (index: number) => {
  const start = index < 0 ? 'from=earliest' : `cursor=${events[index]?.id}`;
  return (await service.get(`/v1/events?${start}&limit=1000`)).body;
};

/** Asks for everything, and disconnects when the answer begins. */
function disconnectInTheMiddle(): Promise<void> {
  const headers = { Authorization: `Bearer ${service.key}` };
  return new Promise((resolve, reject) => {
    get(service.url('/v1/events?from=earliest&limit=1000'), { headers, agent: false }, (response) => {
      response.once('data', () => response.destroy()).once('close', resolve);
    }).once('error', reject);
  });
}

test('large pages of many clients do not mix, even while others disconnect', async () => {
  for (let round = 0; round < 5; round += 1) {
    const starts = [-1, 0, 5, 10, 3, -1, 20, 7, 1, 15];
    const [pages] = await Promise.all([
      Promise.all(starts.map(pageAfter)),
      ...Array.from({ length: 5 }, disconnectInTheMiddle),
    ]);
    for (const [index, start] of starts.entries()) {
      expect(pages[index]).toMatchObject({ data: events.slice(start + 1), has_more: false });
    }
  }
});
