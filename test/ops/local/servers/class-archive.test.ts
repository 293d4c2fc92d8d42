import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { openClassArchive } from '../../../../ops/local/servers/kafka/class-archive.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const folder = useFolder();
const NONE = { forReading: [], forWriting: [] };

/** The folder of jars of a Kafka version. */
async function makeLibs(version: string): Promise<string> {
  const libs = folder(`${version}/libs`);
  await mkdir(libs, { recursive: true });
  return libs;
}

test('the first broker of each version writes an archive, which those after its end read', async () => {
  const [libs, others] = [await makeLibs('1'), await makeLibs('2')];
  const first = openClassArchive(libs);
  const written = first.forWriting.map((option) => option.replace('-XX:ArchiveClassesAtExit=', ''));
  expect([first.forReading, written.length]).toEqual([[], 1]);
  expect(openClassArchive(libs)).toMatchObject(NONE);
  expect(openClassArchive(others).forWriting).toHaveLength(1);

  await writeFile(String(written[0]), 'classes');
  await first.keep('exit code 143');
  const archive = folder('1/classes.jsa');
  expect(await readFile(archive, 'utf8')).toBe('classes');
  const later = openClassArchive(libs);
  expect(later).toMatchObject({ forReading: [`-XX:SharedArchiveFile=${archive}`], forWriting: [] });
  await later.keep('exit code 143');
});

test.each(['SIGKILL', 'exit code 1'])('a broker that ends with %s leaves no archive', async (ending) => {
  const libs = await makeLibs(ending);
  const { forWriting, keep } = openClassArchive(libs);
  await writeFile(String(forWriting[0]).replace('-XX:ArchiveClassesAtExit=', ''), 'part of the cla');
  await keep(ending);
  expect(openClassArchive(libs).forReading).toEqual([]);
});

test('a broker whose Java has written no archive stops as always', async () => {
  const libs = await makeLibs('3');
  await openClassArchive(libs).keep('exit code 143');
  expect(openClassArchive(libs)).toMatchObject(NONE);
});
