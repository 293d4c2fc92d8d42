import { startKafkajsClient } from '../helpers/outside-javascript.ts';
import { testProducers } from '../helpers/producer-suite.ts';

testProducers(startKafkajsClient);
