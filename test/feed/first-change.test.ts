import { expect, test } from '@jest/globals';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { TestService } from '../helpers/service/service.ts';

test('INV-5: on a stream without any event yet cursors have a time, and the first change is delivered', async () => {
  const service = await TestService.start();
  try {
    const before = Date.now() - 60_000;
    const stream = await service.stream();
    const [ready] = await stream.wait('ready', 1);
    expect(parseCursor(ready?.id ?? '').time).toBeGreaterThan(before);
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
    await stream.wait('endorsement', 1);
    expect(stream.events.map(({ event }) => event)).toEqual(['ready', 'endorsement']);
    stream.close();
  } finally {
    await service.stop();
  }
});
