/**
 * The programs of docs/operations/kafka.md that read the changes topic in other languages, exactly as printed there.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { topicNames } from '../../kafka/topic-names.ts';
import { findKafkaJars } from '../../ops/local/servers/kafka/jars.mjs';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { installPythonPackages, runProgram } from '../helpers/clients/python.ts';
import { hasJavaCompiler } from '../helpers/kafka/outside-client.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { useTestService } from '../helpers/service/service.ts';
import { useFolder } from '../helpers/use-folder.ts';

const AVRO = 'avro-1.12.1';
const run = promisify(execFile);
const service = useTestService({ partitions: 3 });
const bin = await installPythonPackages();
const canRunJava = hasJavaCompiler() && findProgram('mvn') !== null;

/** The jar of Avro, which Maven fetches once. */
async function findAvroJar(): Promise<string> {
  const folder = path.resolve('.cache', AVRO);
  const jar = path.join(folder, `${AVRO}.jar`);
  const artifact = `org.apache.avro:${AVRO.replace('-', ':')}`;
  const args = ['-B', '-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  if (!existsSync(jar) && (await runProgram('mvn', args)) !== 0)
    throw new Error('Maven could not fetch Avro.');
  return jar;
}

interface ReadChange {
  version?: number;
  sequence: number;
  id: string;
  type: string;
  endorser: { slug: string };
  endorsement: { statement: string | null };
}

beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Ångström — "sí"' }),
    endorse('coast-gazette', 'prop-1', 'yes'),
    withdraw('bakers-local-1', 'mayor', 'ann'),
  ]);
  await service.eventsOnceThereAre(3);
});

const RELEASED = 'schemas/avro/endorsement-change.v1.avsc';
const inFolder = useFolder();

/** A later version of the schema with one more field, `version`. @returns its file */
async function writeVersion(version: number): Promise<string> {
  const schema = JSON.parse(await readFile(RELEASED, 'utf8'));
  schema.fields.push({ name: 'version', type: 'int', default: version });
  const file = inFolder(`endorsement-change.v${version}.avsc`);
  await writeFile(file, JSON.stringify(schema));
  return file;
}

/** Runs a reader of a topic. */
function read(command: string, args: string[], topic: string, files: string[] = [RELEASED]) {
  const [broker = ''] = service.brokers.addresses;
  return run(command, [...args, broker, topic, ...files]);
}

/** Runs a reader. It must print the changes of the stream, and refuse a topic that does not exist. */
async function compare(command: string, args: string[]) {
  const { changes } = topicNames(service.topicPrefix);
  await expect(read(command, args, 'no-such-topic')).rejects.toThrow(/topic/i);
  const { stdout } = await read(command, args, changes);
  const printed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ReadChange);
  const { data } = await service.events();
  const shown = (one: ReadChange) => [one.id, one.endorser.slug, one.endorsement.statement];
  printed.sort((a, b) => a.sequence - b.sequence);
  expect(printed.map((change) => [`endorsement.${change.type}`, ...shown(change)])).toEqual(
    data.map((event: ReadChange) => [event.type, ...shown(event)]),
  );
  // The files are in the order of their names, as a shell lists them.
  const versions = [RELEASED, await writeVersion(10), await writeVersion(2)];
  const { stdout: newest } = await read(command, args, changes, versions);
  const [change = ''] = newest.split('\n');
  expect((JSON.parse(change) as ReadChange).version).toBe(10);
}

/** Runs a program in Python whose consumer has nothing at first. */
const SLOW_CONSUMER = `
import runpy, sys, confluent_kafka

class Slow(confluent_kafka.Consumer):
    asked = 0

    def poll(self, timeout):
        self.asked += 1
        return None if self.asked == 1 else super().poll(timeout)

confluent_kafka.Consumer = Slow
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
`;

(bin === null ? describe.skip : describe)('Python', () => {
  test('reads every change', () =>
    compare(path.join(bin ?? '', 'python'), ['docs/examples/read_changes.py']));

  test('reads every change from a broker whose first answer takes longer than the wait for it', async () => {
    const slow = inFolder('slow.py');
    await writeFile(slow, SLOW_CONSUMER);
    await compare(path.join(bin ?? '', 'python'), [slow, 'docs/examples/read_changes.py']);
  });
});

(canRunJava ? describe : describe.skip)('Java', () => {
  test('reads every change', async () => {
    const classPath = [path.join(await findKafkaJars(), '*'), await findAvroJar()].join(path.delimiter);
    await compare('java', ['-Xmx256m', '-cp', classPath, 'docs/examples/ReadChanges.java']);
  });
});
