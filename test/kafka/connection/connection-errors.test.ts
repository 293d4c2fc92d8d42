import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import type { Base } from '@platformatic/kafka';
import { keepConnectionErrors } from '../../../kafka/connection/connections.ts';
import { explainingRefusals } from '../../../kafka/connection/refusal.ts';
import { type Brokers, readBrokers } from '../../../service/brokers.ts';

const brokers = readBrokers({
  KAFKA_BROKERS: 'kafka:9093',
  KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
  KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  KAFKA_USERNAME: 'gateway',
  KAFKA_PASSWORD: 'secret',
}) as Brokers;

function openConnection() {
  const client = new EventEmitter();
  const findHidden = keepConnectionErrors(client as unknown as Base);
  const connection = new EventEmitter();
  client.emit('client:broker:connect', { connection });
  const refuse = () => {
    const message = 'SASL authentication failed.';
    connection.emit('error', Object.assign(new Error(message), { code: 'PLT_KFK_AUTHENTICATION' }));
  };
  return { findHidden, refuse };
}

const fail = () => Promise.reject(new Error('Connection closed'));

test('a refusal known only to the connection explains the failure', async () => {
  const { findHidden, refuse } = openConnection();
  const action = async () => {
    refuse();
    return fail();
  };
  await expect(explainingRefusals(brokers, action, findHidden)).rejects.toThrow('refuses the user "gateway"');
});

test('a login that a lost connection interrupts is not refused', async () => {
  const interrupted = Object.assign(new Error('Closed connection'), {
    name: 'KafkaJSSASLAuthenticationError',
  });
  const action = () => Promise.reject(interrupted);
  await expect(explainingRefusals(brokers, action)).rejects.toBe(interrupted);
});

test('an old refusal does not explain a new failure', async () => {
  const { findHidden, refuse } = openConnection();
  refuse();
  await new Promise(setImmediate);
  await expect(explainingRefusals(brokers, fail, findHidden)).rejects.toThrow('Connection closed');
});
