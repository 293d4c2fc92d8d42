/** Another server of streams, to compare with. */
export interface Peer {
  name: string;
  port: number;
  /** The id of the process that does all the work. */
  pid: number;
  /** The path of a stream of everything that is published. */
  path: string;
  /** Publishes texts of JSON in this order. */
  publish(messages: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}
