import type { Brokers } from '../../service/brokers.ts';
import { platformaticConnection } from '../connection/connections.ts';
import { type Ask, prepareClient } from '../connection/refusal.ts';
import { withRetries } from '../connection/retries.ts';
import { Admin } from '../library.ts';

/**
 * The offsets of a consumer group without members. They are committed for tools: monitors of a group's lag,
 * and mirrors, which translate them for another cluster.
 */
export class GroupOffsets {
  readonly #admin: Admin;
  readonly #askOnce: Ask;
  readonly #groupId: string;
  readonly #topic: string;

  constructor({ brokers, groupId, topic }: { brokers: Brokers; groupId: string; topic: string }) {
    this.#groupId = groupId;
    this.#topic = topic;
    this.#admin = new Admin({
      clientId: groupId,
      ...platformaticConnection(brokers),
      // A commit that the client sends again could meet another cluster.
      retries: 0,
    });
    const right = { operation: 'Read', resource: 'group', name: groupId } as const;
    this.#askOnce = prepareClient(this.#admin, brokers, right);
  }

  /**
   * Commits the offset of the next record, by partition, unless the topic was made anew or the brokers now belong to
   * another cluster: its topic has different offsets, and another id. The cluster's own id would not show this, because
   * the client repeats that of its first cluster.
   *
   * @param topicId the topic of these offsets
   * @throws KafkaRefusal if the right to the group is missing, and the client's error otherwise, for instance
   * while a member of the group is running
   */
  async commit(offsets: ReadonlyMap<number, number>, topicId: string): Promise<void> {
    const partitionOffsets = [...offsets].map(([partition, offset]) => ({
      partition,
      offset: BigInt(offset),
    }));
    const name = this.#topic;
    const alteration = { groupId: this.#groupId, topics: [{ name, partitionOffsets }] };
    await this.#ask(async () => {
      const { topics } = await this.#admin.metadata({ topics: [name], forceUpdate: true });
      if (topics.get(name)?.id === topicId) await this.#admin.alterConsumerGroupOffsets(alteration);
    });
  }

  /** The committed offsets, by partition, without partitions that have none. @throws as `commit` does */
  async load(): Promise<Map<number, number>> {
    const groups = await this.#ask(() => this.#admin.listConsumerGroupOffsets({ groups: [this.#groupId] }));
    const topics = groups.flatMap((group) => group.topics).filter(({ name }) => name === this.#topic);
    const committed = topics.flatMap(({ partitions }) => partitions);
    return new Map(
      committed
        .filter(({ committedOffset }) => committedOffset >= 0n)
        .map(({ partitionIndex, committedOffset }) => [partitionIndex, Number(committedOffset)]),
    );
  }

  #ask<T>(action: () => Promise<T>): Promise<T> {
    return this.#askOnce(() => withRetries(action, () => {}));
  }

  async close(): Promise<void> {
    await this.#admin.close();
  }
}
