import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { testProducers } from '../helpers/kafka/producer-suite.ts';

testProducers(startKafkajsClient);
