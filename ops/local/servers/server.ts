import type { Brokers } from '../../../service/brokers.ts';
/** A server on this machine, embedded or in a container. */
export interface LocalServer {
  /** The server's process; null in a container. */
  pid: number | null;
  /** Settles when the server has ended, with a description of the end; it never rejects. */
  exited: Promise<string>;
  /** Stops the server in order, or by force if that fails. */
  stop(): Promise<void>;
}

export interface PostgresServer extends LocalServer {
  /** A connection string, with the password. */
  url: string;
  port: number;
}

export interface KafkaServer extends LocalServer {
  /** `host:port` of the one broker. */
  brokers: Brokers;
  port: number;
}

export interface ServerOptions {
  /** The folder for the server's data, log and settings; it is created if it is missing. */
  dir: string;
  /** The port on 127.0.0.1; a free one by default. */
  port?: number | undefined;
  /** Called with the server's process as soon as it runs, before it answers. */
  onSpawn?(pid: number): Promise<void>;
  /** Additional settings of the server, which win. */
  overrides?: Record<string, string>;
}

/** The way to start servers here: embedded, or in containers. */
export interface ServerRunner {
  startPostgres(options: ServerOptions): Promise<PostgresServer>;
  startKafka(options: ServerOptions): Promise<KafkaServer>;
}
