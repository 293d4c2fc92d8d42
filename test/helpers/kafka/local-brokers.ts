/** Brokers within the test: a reader asks them instead of servers, and the test decides each answer. */
import { Reader, type Writer } from '@platformatic/kafka';
import type { PartitionAnswer } from '../../../kafka/protocol/fetch.ts';
import type { PartitionBounds } from '../../../kafka/reading/topic-lookup.ts';
import { TopicReader, type TopicReaderOptions } from '../../../kafka/reading/topic-reader.ts';
import { plaintextBrokers } from '../../../service/brokers.ts';

/** The numbers of Kafka's requests. */
const FETCH = 1;
const API_VERSIONS = 18;
const TOPIC = 'topic';

/** A request of Fetch, as a broker got it. */
export interface LocalFetch {
  node: number;
  rack: string;
  committed: boolean;
  maxWaitMs: number;
  /** The offset of each partition. */
  offsets: Record<number, number>;
}

/** The answer for a partition, apart from what most answers have in common. */
export type LocalAnswer = Partial<Omit<PartitionAnswer, 'partition'>>;

export class LocalBrokers {
  /** By partition: its leader. Clients know the leaders of their last question. */
  leaders: number[];
  nodes = [1, 2, 3];
  /** Kafka's id of the topic. */
  topicId = '00000000-0000-0000-0000-000000000001';
  /** By partition. */
  bounds: PartitionBounds[] = [];
  /** The error of whole requests; 0 for none. */
  errorCode = 0;
  /** Answers for a partition. Throws if the connection is lost. */
  answer: (partition: number, node: number) => LocalAnswer = () => ({});
  readonly fetches: LocalFetch[] = [];
  /** The brokers that were asked for their versions, in order. */
  readonly versions: number[] = [];
  /** How often clients asked for the leaders. */
  lookUps = 0;

  constructor(leaders: number[]) {
    this.leaders = leaders;
  }

  /** A reader that knows only these brokers. */
  read(options: Partial<TopicReaderOptions> = {}, rack: string | null = null): TopicReader {
    const client = this.#createClient();
    class LocalReader extends TopicReader {
      protected override readonly client = client as never;
    }
    const brokers = { ...plaintextBrokers(['127.0.0.1:1']), rack };
    return new LocalReader({ brokers, topic: TOPIC, clientId: 'test', ...options });
  }

  #createClient() {
    let known: object | undefined;
    return {
      connections: { get: async (node: number) => ({ send: this.#send.bind(this, node) }) },
      clearMetadata: () => {
        known = undefined;
      },
      metadata: async ({ forceUpdate = false }) => {
        if (!known || forceUpdate) {
          this.lookUps += 1;
          const partitions = this.leaders.map((leader) => ({ leader, leaderEpoch: 0 }));
          const topic = { id: this.topicId, partitions };
          const brokers = new Map(this.nodes.map((node) => [node, node]));
          known = { id: 'cluster', brokers, topics: new Map([[TOPIC, topic]]) };
        }
        return known;
      },
      listOffsets: async ({ timestamp, isolationLevel }: { timestamp?: bigint; isolationLevel?: number }) => {
        const of = ({ start, stableEnd, end }: PartitionBounds) => {
          if (timestamp !== undefined) return start;
          return isolationLevel === 1 ? stableEnd : end;
        };
        return new Map([[TOPIC, this.bounds.map((each) => BigInt(of(each)))]]);
      },
    };
  }

  #send(node: number, request: number, _version: number, write: () => Writer, ...rest: unknown[]): void {
    const callback = rest.at(-1) as (error: Error | null, answer?: object) => void;
    try {
      callback(null, request === API_VERSIONS ? this.#tellVersions(node) : this.#fetch(node, write()));
    } catch (error) {
      callback(error as Error);
    }
  }

  #tellVersions(node: number): object {
    this.versions.push(node);
    return { apiKeys: [{ apiKey: FETCH, maxVersion: 17 }] };
  }

  #fetch(node: number, request: Writer): object {
    const fetch = readFetch(node, request);
    this.fetches.push(fetch);
    const partitions = Object.keys(fetch.offsets).map((name) => ({
      ...{ partition: Number(name), errorCode: 0, highWatermark: 10, lastStableOffset: 10, aborted: [] },
      ...{ preferredReplica: -1, bytes: Buffer.alloc(0), ...this.answer(Number(name), node) },
    }));
    return { errorCode: this.errorCode, partitions };
  }
}

function readFetch(node: number, request: Writer): LocalFetch {
  const reader = Reader.from(request);
  const maxWaitMs = reader.readInt32();
  reader.skip(8); // the least and the most bytes
  const committed = reader.readInt8() === 1;
  reader.skip(8); // the session
  const offsets: Record<number, number> = {};
  reader.readArray((topic) => {
    topic.readUUID();
    topic.readArray((partition) => {
      const number = partition.readInt32();
      partition.readInt32(); // the leader's epoch
      offsets[number] = Number(partition.readInt64());
      partition.skip(16); // the last fetched epoch, the start of the log, and the most bytes
    });
  });
  reader.readArray(() => {}); // forgotten topics
  return { node, maxWaitMs, committed, offsets, rack: reader.readString() };
}
