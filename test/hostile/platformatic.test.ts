import { startPlatformaticClient } from '../helpers/outside-javascript.ts';
import { testProducers } from '../helpers/producer-suite.ts';

testProducers(async (brokers, topic) => startPlatformaticClient(brokers, topic));
