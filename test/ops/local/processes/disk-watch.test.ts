import { expect, test } from '@jest/globals';
import { DiskWatch } from '../../../../ops/local/processes/disk-watch.ts';

const MB = 1024 * 1024;

test('a full disk is reported once, with its path and free bytes, and so is its end', async () => {
  const lines: string[] = [];
  let free = 500 * MB;
  let times = 0;
  const disk = new DiskWatch({
    folder: '/data',
    report: (line) => lines.push(line),
    onRoom: () => {
      times += 1;
    },
    readFree: async () => free,
  });
  disk.stop();
  const checkWith = async (bytes: number) => {
    free = bytes;
    await disk.check();
  };
  await checkWith(500 * MB);
  expect(lines).toEqual([]);
  await checkWith(4096);
  await checkWith(0);
  // A server that has ended has freed a little space, and will take it again.
  await checkWith(50 * MB);
  await checkWith(0);
  expect(lines).toEqual([
    expect.stringMatching(/^The disk of \/data is full: 4,096 bytes are free, and 41,943,040 are needed\./),
  ]);
  expect(times).toBe(0);
  await checkWith(200 * MB);
  expect(times).toBe(1);
  await checkWith(0);
  expect(lines.slice(1)).toEqual([
    'The disk of /data has room again (209,715,200 bytes free).',
    expect.stringMatching(/^The disk of \/data is full: 0 bytes/),
  ]);
});

test('a disk is full below 40 MB and has room from 80 MB on, and one that cannot be asked stays as it was', async () => {
  const lines: string[] = [];
  let free: number | null = 0;
  const disk = new DiskWatch({
    folder: '/data',
    report: (line) => lines.push(line),
    readFree: async () => {
      if (free === null) throw new Error('gone');
      return free;
    },
  });
  disk.stop();
  const told: number[] = [];
  for (const bytes of [40 * MB, null, 40 * MB - 1, null, 80 * MB - 1, 80 * MB, null, 40 * MB]) {
    free = bytes;
    await disk.check();
    told.push(lines.length);
  }
  expect(told).toEqual([0, 0, 1, 1, 1, 2, 2, 2]);
});
