import { describe } from '@jest/globals';
import { hasJavaCompiler, startJavaClient } from '../helpers/outside-client.ts';
import { testProducers } from '../helpers/producer-suite.ts';

const isThere = hasJavaCompiler();

(isThere ? describe : describe.skip)(
  `Java${isThere ? '' : ' (skipped: it cannot run a source file here)'}`,
  () => testProducers(startJavaClient),
);
