import { Admin } from '@platformatic/kafka';

/**
 * Commits offsets to a consumer group that has no members, for tools that show a group's lag. The service does not read
 * them.
 */
export class GroupOffsets {
  readonly #admin: Admin;
  readonly #groupId: string;
  readonly #topic: string;

  constructor({ brokers, groupId, topic }: { brokers: string[]; groupId: string; topic: string }) {
    this.#groupId = groupId;
    this.#topic = topic;
    this.#admin = new Admin({
      clientId: groupId,
      bootstrapBrokers: brokers,
      retries: 1,
      timeout: 5000,
      connectTimeout: 3000,
    });
    this.#admin.on('client:broker:failed', () => {});
  }

  /**
   * Commits the offset of the next record, by partition.
   *
   * @throws the client's error, for instance while a member of the group is running
   */
  async commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    const partitionOffsets = [...offsets].map(([partition, offset]) => ({
      partition,
      offset: BigInt(offset),
    }));
    await this.#admin.alterConsumerGroupOffsets({
      groupId: this.#groupId,
      topics: [{ name: this.#topic, partitionOffsets }],
    });
  }

  async close(): Promise<void> {
    await this.#admin.close();
  }
}
