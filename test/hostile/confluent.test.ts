import path from 'node:path';
import { describe } from '@jest/globals';
import { startConfluentClient } from '../helpers/outside-client.ts';
import { testProducers } from '../helpers/producer-suite.ts';
import { installPythonPackage } from '../helpers/python.ts';

const bin = await installPythonPackage('confluent-kafka', '2.16.1');

(bin === null ? describe.skip : describe)(
  `librdkafka${bin === null ? ' (skipped: confluent-kafka cannot be installed here)' : ''}`,
  () =>
    testProducers(async (brokers, topic) =>
      startConfluentClient(path.join(bin ?? '', 'python'), brokers, topic),
    ),
);
