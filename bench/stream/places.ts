/**
 * Measures concurrent replays from different places: their total speed, and the gateway's memory for them. It runs on a
 * loaded store, as `replay` does.
 */

import { withGatewayProcess } from '../gateway-process.ts';
import { openStore } from '../open-store.ts';
import { formatSpread } from '../statistics.ts';
import { PageReader } from './page-reader.ts';
import { peakBytesOf } from './process-usage.ts';

const PLACES = [1, 12, 24, 64];
/** The distance between two places, in thousands of events. */
const PAGES_APART = 12;
const DURATION_MS = 10_000;

/** @param rounds the number of measurements of each number of places, each time with a new gateway */
export async function benchPlaces(rounds: number, print: (line: string) => void): Promise<void> {
  const { config, key } = await openStore();
  const cursors = await withGatewayProcess(config, {}, ({ base }) => findPlaces(new PageReader(base, key)));
  print(`events a second, and most memory: middle (lowest to highest) of ${rounds} rounds`);
  for (const places of PLACES.filter((count) => count <= cursors.length)) {
    const speeds: number[] = [];
    const megabytes: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await withGatewayProcess(config, {}, async ({ base, pid }) => {
        const readers = cursors
          .slice(0, places)
          .map((cursor) => ({ cursor, reader: new PageReader(base, key) }));
        speeds.push(await readTogether(readers));
        megabytes.push(peakBytesOf(pid) / 2 ** 20);
      });
    }
    print(`  from ${places} places: ${formatSpread(speeds, 0)}, ${formatSpread(megabytes, 0)} MB`);
  }
}

/** Cursors at equal distances from the beginning, at most as many as exist. */
async function findPlaces(reader: PageReader): Promise<string[]> {
  const cursors: string[] = [];
  let query = 'from=earliest';
  for (let page = 1; cursors.length < Math.max(...PLACES); page += 1) {
    const { nextCursor, hasMore } = await reader.read(query);
    if (!hasMore) break;
    if (page % PAGES_APART === 0) cursors.push(nextCursor);
    query = `cursor=${nextCursor}`;
  }
  return cursors;
}

/** Reads on from each place at the same time. @returns their total events a second */
async function readTogether(readers: { cursor: string; reader: PageReader }[]): Promise<number> {
  const start = performance.now();
  const readOn = async ({ cursor, reader }: { cursor: string; reader: PageReader }) => {
    let events = 0;
    for (let next = cursor; performance.now() - start < DURATION_MS; events += 1000) {
      const { nextCursor, hasMore } = await reader.read(`cursor=${next}`);
      if (!hasMore) break;
      next = nextCursor;
    }
    return events;
  };
  const counts = await Promise.all(readers.map(readOn));
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - start);
}
