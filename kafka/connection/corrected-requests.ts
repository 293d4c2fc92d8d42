/* Corrects the requests by which clients of @platformatic/kafka look up topics and offsets. */
import {
  type Base,
  type Callback,
  findCoordinatorV4,
  kGetApi,
  listOffsetsV7,
  metadataV12,
  offsetCommitV8,
  offsetFetchV8,
} from '../library.ts';

/**
 * Corrects a habit of a client:
 *
 * - It takes the newest version of a request that its first broker knows, and keeps it. An older broker hangs up on
 *   such a request, during an upgrade of the cluster or after a downgrade. So the versions are those of Kafka 3.1.
 */
export function correctRequests(client: Base): void {
  const getApi = client[kGetApi].bind(client);
  const apis: Record<string, object> = {
    Metadata: metadataV12.api,
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
  });
}
