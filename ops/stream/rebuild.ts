import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { loadGeneration, loadRebuildProgress, requestGeneration } from '../../store/stream/generation.ts';
import type { CommandIo } from '../command.ts';
import { withProgress } from '../progress.ts';

const POLL_MS = 200;
/** A relay begins within seconds of a request. */
const PATIENCE_MS = 10_000;

/**
 * Asks the relay to write the changes topic again from the change log, as a new generation of the stream (INV-4), and
 * waits for the end.
 */
export async function rebuildStream(client: ClientBase, io: CommandIo): Promise<void> {
  const before = await loadGeneration(client);
  await requestGeneration(client);
  const isTakenUp = async () => (await loadGeneration(client)).generation > before.generation;
  for (let waitedMs = 0; !(await isTakenUp()); waitedMs += POLL_MS) {
    if (waitedMs === PATIENCE_MS) {
      io.err('No relay has begun yet. It begins when a relay runs; Ctrl-C leaves the request in place.');
    }
    await sleep(POLL_MS);
  }
  const { generation, first, after } = await withProgress(io.terminal, 'Changes', async (onProgress) => {
    for (;;) {
      const progress = await loadRebuildProgress(client);
      const total = progress.after - progress.first + 1;
      // The first change to write is known once the relay has begun.
      if (total > 0) onProgress(progress.written - progress.first + 1, total);
      if (progress.isComplete) return progress;
      await sleep(POLL_MS);
    }
  });
  const count = after - first + 1;
  io.out(`${count} changes were written again, as generation ${generation} of the stream.`);
  io.err('Gateways follow by themselves, and every cursor stays valid.');
}
