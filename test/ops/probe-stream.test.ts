import { afterEach, expect, test } from '@jest/globals';
import { ProbeStream } from '../../ops/canary/probe-stream.ts';
import { answerStream, FakeService, frame } from '../helpers/clients/fake-service.ts';

const LONG_MS = 60_000;
let service: FakeService;
afterEach(() => service.stop());

async function open(end?: 'cut' | 'end'): Promise<ProbeStream> {
  service = await FakeService.start(answerStream(frame('ready', '01.x'), end));
  return ProbeStream.open(service.baseUrl, 'key', LONG_MS);
}

test.each(['cut', 'end'] as const)(
  'a change cannot arrive any more after the end of the stream: %s',
  async (end) => {
    const stream = await open(end);
    expect(await stream.arrival('any', LONG_MS)).toBe(false);
    expect(stream.isOpen).toBe(false);
    expect(await stream.arrival('another', LONG_MS)).toBe(false);
  },
);

test('closing a stream ends the wait for a change', async () => {
  const stream = await open();
  const arrival = stream.arrival('any', LONG_MS);
  stream.close();
  expect(await arrival).toBe(false);
});
