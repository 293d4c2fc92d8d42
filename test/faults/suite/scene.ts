import type { Random } from '../../../ops/demo/random.ts';
import type { World } from './world.ts';

/** The tools of a fault. */
export interface Scene {
  world: World;
  random: Random;
  /** Sends some submissions. Kafka must acknowledge them. */
  load: () => Promise<void>;
  /**
   * Sends some submissions repeatedly until Kafka acknowledges them.
   *
   * @returns the number of failures
   */
  insist: () => Promise<number>;
  /** Waits until every sent submission is applied, relayed and delivered. */
  settle: () => Promise<void>;
}

/** A fault. It happens under load and then ends, except that killed processes stay dead. */
export interface Fault {
  name: string;
  /** Its frequency relative to others. */
  weight: number;
  /** @returns the proof that it happened @throws Error if it did not */
  run(scene: Scene): Promise<string>;
  /** The reason why this machine cannot run it; null if it can. */
  lacks?(world: World): string | null;
}
