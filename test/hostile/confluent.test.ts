import path from 'node:path';
import { describe } from '@jest/globals';
import { installPythonPackages } from '../helpers/clients/python.ts';
import { startConfluentClient } from '../helpers/kafka/outside-client.ts';
import { testProducers } from '../helpers/kafka/producer-suite.ts';

const bin = await installPythonPackages();

(bin === null ? describe.skip : describe)(
  `librdkafka${bin === null ? ' (skipped: confluent-kafka cannot be installed here)' : ''}`,
  () =>
    testProducers(async (brokers, topic) =>
      startConfluentClient(path.join(bin ?? '', 'python'), brokers, topic),
    ),
);
