import { beforeAll, expect, test } from '@jest/globals';
import { loadDemo } from '../../ops/demo/load.ts';
import { installPythonPackages, runQuietly } from '../helpers/clients/python.ts';
import { useTestService } from '../helpers/service/service.ts';
import { fuzz, STREAM } from './fuzz.ts';

const service = useTestService({ catalogue: [], gatewayConfig: STREAM });
const programs = await installPythonPackages();

beforeAll(async () => {
  const { databaseUrl, brokers, topicPrefix } = service;
  await loadDemo({ databaseUrl, brokers, topicPrefix, today: '2026-10-01', report: () => {} });
});

// Always the same requests, so that only a change of the code can fail this: `npm run test:fuzz` makes others. The fuzzer
// asks one after another, which takes more than a minute.
(programs === null ? test.skip : test)(
  'every answer to generated requests is as described',
  async () => {
    const { key, databaseUrl } = service;
    const wrong = await fuzz({
      ...{ base: service.url(''), key, databaseUrl, programs: programs ?? '' },
      ...{ examples: 15, seed: '1', run: runQuietly },
    });
    expect(wrong).toEqual([]);
  },
  600_000,
);
