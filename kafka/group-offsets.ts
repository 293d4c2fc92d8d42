import { Admin } from '@platformatic/kafka';
import type { Brokers } from '../service/brokers.ts';
import { keepConnectionErrors, platformaticConnection } from './connections.ts';
import { explainingRefusals } from './refusal.ts';
import { withRight } from './rights.ts';

/**
 * Commits offsets to a consumer group that has no members, for tools that show a group's lag. The service does not read
 * them.
 */
export class GroupOffsets {
  readonly #admin: Admin;
  readonly #brokers: Brokers;
  readonly #findHidden: () => unknown;
  readonly #groupId: string;
  readonly #topic: string;

  constructor({ brokers, groupId, topic }: { brokers: Brokers; groupId: string; topic: string }) {
    this.#brokers = brokers;
    this.#groupId = groupId;
    this.#topic = topic;
    this.#admin = new Admin({
      clientId: groupId,
      ...platformaticConnection(brokers),
      retries: 1,
      timeout: 5000,
      connectTimeout: 3000,
    });
    this.#findHidden = keepConnectionErrors(this.#admin);
  }

  /**
   * Commits the offset of the next record, by partition.
   *
   * @throws KafkaRefusal if the right to the group is missing, and the client's error otherwise, for instance while a member of the group is running
   */
  async commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    const partitionOffsets = [...offsets].map(([partition, offset]) => ({
      partition,
      offset: BigInt(offset),
    }));
    const topics = [{ name: this.#topic, partitionOffsets }];
    const groupId = this.#groupId;
    const right = { operation: 'Read', resource: 'group', name: groupId } as const;
    await explainingRefusals(
      this.#brokers,
      () => withRight(right, () => this.#admin.alterConsumerGroupOffsets({ groupId, topics })),
      this.#findHidden,
    );
  }

  async close(): Promise<void> {
    await this.#admin.close();
  }
}
