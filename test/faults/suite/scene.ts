import type { Random } from '../../../ops/demo/random.ts';
import type { World } from './world.ts';

/** The things that a fault needs. */
export interface Scene {
  world: World;
  random: Random;
  /** Sends some submissions, which Kafka acknowledges. */
  load: () => Promise<void>;
  /**
   * Sends some submissions, again and again until Kafka acknowledges them.
   *
   * @returns how often it did not
   */
  insist: () => Promise<number>;
  /** Waits until everything that was sent is applied, relayed and delivered. */
  settle: () => Promise<void>;
}

/** A fault. It brings itself about while there is load, and ends, apart from processes that stay dead. */
export interface Fault {
  name: string;
  /** How often it is chosen, compared with others. */
  weight: number;
  /** @returns the proof that it happened @throws Error if it did not */
  run(scene: Scene): Promise<string>;
  /** The reason why it cannot be brought about on this machine; null if it can. */
  lacks?(world: World): string | null;
}
