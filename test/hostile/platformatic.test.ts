import { startKafkajsClient, startPlatformaticClient } from '../helpers/kafka/outside-javascript.ts';
import { testProducers } from '../helpers/kafka/producer-suite.ts';

// This client asks for the producer number 0, so Kafka does not let it take over a transactional id.
testProducers(startPlatformaticClient, startKafkajsClient);
