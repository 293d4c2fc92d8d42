/** A server that this machine runs for us, embedded or in a container. */
export interface LocalServer {
  /** Its process, or null where it runs in a container and has none that is ours. */
  pid: number | null;
  /** Settles when the server has ended for whatever reason, with how it ended; it never rejects. */
  exited: Promise<string>;
  /** Stops it in order, by force where it does not obey. */
  stop(): Promise<void>;
}

export interface PostgresServer extends LocalServer {
  /** A connection string with the password in it. */
  url: string;
  port: number;
}

export interface KafkaServer extends LocalServer {
  /** `host:port` of the one broker. */
  brokers: string[];
  port: number;
}

export interface ServerOptions {
  /** The folder for the server's data, log and settings; made where it is not there. */
  dir: string;
  /** The port on 127.0.0.1; a free one where it is not given. */
  port?: number | undefined;
  /** Called with the server's process as soon as there is one, before it answers. */
  onSpawn?(pid: number): Promise<void>;
  /** Settings of the server's own, over ours. */
  overrides?: Record<string, string>;
}

/** How servers are started here: embedded, or in containers. */
export interface ServerRunner {
  startPostgres(options: ServerOptions): Promise<PostgresServer>;
  startKafka(options: ServerOptions): Promise<KafkaServer>;
}
