import { afterEach } from '@jest/globals';
import type { EventStreamClient } from './event-stream.ts';

/** Closes a file's streams after each test. @returns a function that takes each stream as it opens */
export function useStreams(): (opening: Promise<EventStreamClient>) => Promise<EventStreamClient> {
  const open: EventStreamClient[] = [];
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  return async (opening) => {
    const stream = await opening;
    open.push(stream);
    return stream;
  };
}
