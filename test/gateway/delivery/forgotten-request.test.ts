import { afterEach, expect, jest, test } from '@jest/globals';
import { EventOutput } from '../../../gateway/wire/event-output.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
afterEach(() => {
  jest.restoreAllMocks();
});

test("a stream keeps neither the headers of its request nor Koa's listeners for its response", async () => {
  const open = jest.spyOn(EventOutput, 'open');
  const client = await service.stream();
  await client.wait('ready', 1);
  const [response] = open.mock.calls[0] ?? [];
  // Koa listens for this event, which responses do not have.
  expect(response?.listenerCount('end')).toBe(0);
  expect(response?.req.headers).toEqual({});
  expect(response?.req.rawHeaders).toEqual([]);
  client.close();
});
