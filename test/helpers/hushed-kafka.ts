import { connect, type Socket } from 'node:net';
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';

/** A kafkajs client whose brokers can be made to seem silent: they get and do what they are sent, and are not heard. */
export interface HushedKafka {
  kafka: Kafka;
  /** Keeps the answers back, also on new connections. */
  hush(): void;
  /** Loses the answers that were kept back, with their connections; new ones work. */
  mend(): void;
}

export function createHushedKafka(brokers: string[], config: Partial<KafkaConfig> = {}): HushedKafka {
  const sockets = new Set<Socket>();
  let hushed = false;
  const kafka = new Kafka({
    clientId: 'test',
    brokers,
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
