import { describe } from '@jest/globals';
import { hasJavaCompiler, startJavaClient } from '../helpers/kafka/outside-client.ts';
import { testProducers } from '../helpers/kafka/producer-suite.ts';

const isThere = hasJavaCompiler();

(isThere ? describe : describe.skip)(
  `Java${isThere ? '' : ' (skipped: it cannot run a source file here)'}`,
  () => testProducers(startJavaClient),
);
