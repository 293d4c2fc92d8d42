import { Gauge } from 'prom-client';

/** Of consumers and gateways alike, so that one alert covers both. */
export const historyConflict = new Gauge({
  name: 'stream_history_conflict',
  help: '1 if the database lacks changes that Kafka has announced, or has others in their place; 0 if they agree.',
});
