import type { Refusal } from '../../domain/refusal.ts';
import { lockStreamHead } from '../../store/stream/change-log.ts';
import { type Refused, type Write, writeSubmissions } from './write-submissions.ts';

/**
 * Writes records in parts, down to the single faulty ones, which it refuses. For records that the database
 * does not accept together (INV-14).
 *
 * A failing part is halved, and parts grow again after two successes. A thousand faulty records take little
 * more than a thousand attempts; one faulty record takes some thirty.
 *
 * @param refuse the refusal for an error of a single record; undefined if the record did not cause the error
 */
export function writeInParts(refuse: (error: unknown) => Refusal | undefined): Write {
  return async ({ client, cache }, located) => {
    const total = { changes: 0, refused: [] as Refused[], executed: Promise.resolve() };
    let size = Math.ceil(located.length / 2);
    let successes = 0;
    await client.query('SAVEPOINT part');
    for (let start = 0; start < located.length; ) {
      const part = located.slice(start, start + size);
      try {
        const { changes, refused, executed } = await writeSubmissions(
          { client, head: await lockStreamHead(client), cache },
          part,
        );
        await executed;
        await client.query('RELEASE SAVEPOINT part; SAVEPOINT part');
        total.changes += changes;
        total.refused.push(...refused);
        start += part.length;
        successes += 1;
        if (successes % 2 === 0) size *= 2;
      } catch (error) {
        const refusal = refuse(error);
        if (!refusal) throw error;
        await client.query('ROLLBACK TO SAVEPOINT part');
        cache.clear();
        successes = 0;
        size = Math.ceil(part.length / 2);
        const [only, second] = part;
        if (!only || second) continue;
        total.refused.push({ ...only, refusal });
        start += 1;
      }
    }
    return total;
  };
}
