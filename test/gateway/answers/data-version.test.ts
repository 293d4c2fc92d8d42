import { expect, test } from '@jest/globals';
import { DataVersion } from '../../../gateway/answers/data-version.ts';
import type { DataVersions } from '../../../store/reads/data-versions.ts';
import { settle } from '../../helpers/service/manual-clock.ts';

/** A store whose look-ups the test answers, in any order. */
class Store {
  readonly lookups: PromiseWithResolvers<DataVersions>[] = [];
  readonly version = new DataVersion(() => {
    const lookup = Promise.withResolvers<DataVersions>();
    this.lookups.push(lookup);
    return lookup.promise;
  });

  answer(index: number): void {
    this.lookups[index]?.resolve({ endorsements: `${index}`, catalogue: '1', officeholders: '1' });
  }
}

test('callers before a look-up begins share it', async () => {
  const store = new Store();
  const asked = [store.version.current(), store.version.current()];
  await settle();
  store.answer(0);
  expect((await Promise.all(asked)).map(({ endorsements }) => endorsements)).toEqual(['0', '0']);
  expect(store.lookups).toHaveLength(1);
});

test('INV-1: callers during a look-up do not get its result and share the next one', async () => {
  const store = new Store();
  const first = store.version.current();
  await settle();
  const later = [store.version.current()];
  await settle();
  later.push(store.version.current());
  expect(store.lookups).toHaveLength(1);
  store.answer(0);
  expect((await first).endorsements).toBe('0');
  await settle();
  store.answer(1);
  expect((await Promise.all(later)).map(({ endorsements }) => endorsements)).toEqual(['1', '1']);
  expect(store.lookups).toHaveLength(2);
});

test('a failed look-up rejects for all callers that shared it, and the next one runs', async () => {
  const store = new Store();
  const first = store.version.current();
  await settle();
  const next = store.version.current();
  store.lookups[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await settle();
  store.answer(1);
  expect((await next).endorsements).toBe('1');
});
