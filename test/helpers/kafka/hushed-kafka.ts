import { connect, type Socket } from 'node:net';
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import type { Brokers } from '../../../service/brokers.ts';

/**
 * A kafkajs client whose brokers can fall silent: they receive and execute requests, but their answers are held back.
 */
export interface HushedKafka {
  kafka: Kafka;
  /** Holds back the answers, on new connections too. */
  hush(): void;
  /** Drops the held-back answers with their connections; new connections work. */
  mend(): void;
}

export function createHushedKafka(brokers: Brokers, config: Partial<KafkaConfig> = {}): HushedKafka {
  const sockets = new Set<Socket>();
  let hushed = false;
  const kafka = new Kafka({
    clientId: 'test',
    brokers: brokers.addresses,
    logLevel: logLevel.NOTHING,
    socketFactory({ host, port, onConnect }) {
      const socket = connect(port, host, onConnect);
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      return hushed ? socket.pause() : socket;
    },
    ...config,
  });
  return {
    kafka,
    hush() {
      hushed = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      hushed = false;
      for (const socket of sockets) socket.destroy(new Error('The connection was lost.'));
    },
  };
}
