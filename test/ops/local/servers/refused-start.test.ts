import { expect, test } from '@jest/globals';
import { startKafka } from '../../../../ops/local/servers/kafka/broker.ts';
import { startPostgres } from '../../../../ops/local/servers/postgres/server.ts';
import { chooseRunner, inspectMachine } from '../../../../ops/local/servers/runner.ts';
import { OperatorError } from '../../../../service/operator-error.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const fileOf = useFolder();
const embedded = chooseRunner(await inspectMachine()) === 'embedded';

(embedded ? test : test.skip).each([
  [
    'Postgres',
    () => startPostgres({ dir: fileOf('postgres'), overrides: { nonsense: '1' } }),
    /^Postgres ended before it was ready .*unrecognized configuration parameter "nonsense"/s,
  ],
  [
    'the storage of Kafka',
    () => startKafka({ dir: fileOf('storage'), overrides: { 'process.roles': 'nonsense' } }),
    /^formatting Kafka's storage ended with exit code 1; see .*kafka\.log$/,
  ],
  [
    'Kafka',
    () => startKafka({ dir: fileOf('kafka'), jvmOptions: ['-Xmx1k'] }),
    /^Kafka ended before it was ready \(exit code 1\); see .*kafka\.log$/,
  ],
])('%s that does not start is reported by its log, without a stack', async (_name, start, message) => {
  const failure = await start().then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(OperatorError);
  expect((failure as Error).message).toMatch(message);
});
