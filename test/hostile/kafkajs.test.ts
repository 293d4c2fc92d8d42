import { startKafkajsClient } from '../helpers/outside-javascript.ts';
import { testProducers } from '../helpers/producer-suite.ts';

testProducers(async (brokers, topic) => startKafkajsClient(brokers, topic));
