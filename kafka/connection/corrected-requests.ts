/* Corrects the requests by which clients of @platformatic/kafka look up topics and offsets. */
import {
  type Base,
  type Callback,
  type Connection,
  findCoordinatorV4,
  kGetApi,
  kGetBootstrapConnection,
  listOffsetsV7,
  metadataV12,
  offsetCommitV8,
  offsetFetchV8,
  TimeoutError,
} from '../library.ts';

/** The longest wait for a broker's answer about topics before another broker is asked, in milliseconds. */
const ANSWER_MS = 5000;

type Topics = Awaited<ReturnType<typeof metadataV12.api.async>>;

/**
 * Corrects three habits of a client:
 *
 * - It takes the newest version of a request that its first broker knows, and keeps it. An older broker hangs up on
 *   such a request, during an upgrade of the cluster or after a downgrade. So the versions are those of Kafka 3.1.
 * - It takes a partition without a leader for a failure of the whole topic. So the partition has the leader -1.
 * - It asks the same broker first, however long that is silent. So after a failure, it asks another one first.
 */
export function correctRequests(client: Base): void {
  const getApi = client[kGetApi].bind(client);
  const getBootstrapConnection = client[kGetBootstrapConnection].bind(client);
  /** Which of the brokers is asked first. */
  let turn = 0;
  const requestTopics = (
    connection: Connection,
    names: string[],
    isCreating: boolean,
    isShowingRights: boolean,
    callback: Callback<Topics>,
  ) => {
    let isAnswered = false;
    const answer: Callback<Topics> = (error, topics) => {
      if (isAnswered) return;
      isAnswered = true;
      clearTimeout(timer);
      const known = error ? findTopics(error) : topics;
      if (known) return callback(null, known);
      turn += 1;
      callback(error);
    };
    const late = () => answer(new TimeoutError('A broker does not answer.', { canRetry: true }));
    const timer = setTimeout(late, ANSWER_MS);
    metadataV12.api(connection, names, isCreating, isShowingRights, answer);
  };
  const apis: Record<string, object> = {
    Metadata: Object.assign(requestTopics, { version: metadataV12.api.version }),
    ListOffsets: listOffsetsV7.api,
    FindCoordinator: findCoordinatorV4.api,
    OffsetCommit: offsetCommitV8.api,
    OffsetFetch: offsetFetchV8.api,
  };
  Object.assign(client, {
    [kGetApi](name: string, callback: Callback<object>) {
      const api = apis[name];
      if (api) callback(null, api);
      else getApi(name, callback);
    },
    [kGetBootstrapConnection](callback: Callback<Connection>) {
      getBootstrapConnection(callback, turn);
    },
  });
}

/** The topics of an answer in which only partitions have errors, such as a missing leader; undefined for other errors. */
function findTopics(error: Error): Topics | undefined {
  const { response } = error as { response?: Topics };
  return response?.topics.every(({ errorCode }) => errorCode === 0) ? response : undefined;
}
