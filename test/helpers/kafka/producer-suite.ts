/** The tests for every kind of producer. */

import { afterAll, beforeAll, test } from '@jest/globals';
import type { Brokers } from '../../../service/brokers.ts';
import { useTestService } from '../service/service.ts';
import { CODECS, type OutsideClient, type OutsideProducer } from './outside-client.ts';
import { bad, PARTITIONS, SubmissionLedger } from './submission-ledger.ts';

type Start = (brokers: Brokers, topic: string) => OutsideClient | Promise<OutsideClient>;

/**
 * @param start starts the client for a topic
 * @param startSuccessor starts one that can take over a transactional id
 */
export function testProducers(start: Start, startSuccessor: Start = start): void {
  const service = useTestService({ partitions: PARTITIONS });
  const ledger = new SubmissionLedger(service);
  let client: OutsideClient;
  let successors: OutsideClient;
  beforeAll(async () => {
    client = await start(service.brokers, ledger.topic);
    successors = start === startSuccessor ? client : await startSuccessor(service.brokers, ledger.topic);
  });
  const producers: OutsideProducer[] = [];
  afterAll(async () => {
    await Promise.allSettled(producers.map((producer) => producer.close()));
    await client?.stop();
    await successors?.stop();
    await ledger.close();
  });
  const open: OutsideClient['open'] = async (settings) => {
    const producer = await client.open(settings);
    producers.push(producer);
    return producer;
  };

  test.each(CODECS)('INV-14: with %s: good ones are events, bad ones are rejected', async (codec) => {
    for (const idempotent of [false, true]) {
      const producer = await open({ codec, idempotent });
      const zeros = Buffer.alloc(30_000);
      await ledger.send(producer, [
        ledger.good(1),
        bad(1, Buffer.from('noise, no A')),
        { ...ledger.good(1, { key: null }), due: 'rejection' },
        bad(1, null),
        bad(2, null, { key: null }),
        ledger.good(2, { headers: { trace: '4711', empty: '' } }),
        bad(2, Buffer.alloc(0)),
        ledger.good(2, { timestamp: 0 }),
        bad(3, zeros, { timestamp: 1, headers: { kind: 'zeros' } }),
        ledger.good(3, { timestamp: Date.now() + 30 * 60_000 }),
        ...Array.from({ length: 20 }, (_, index) => ledger.good(4 + (index % 2))),
      ]);
    }
    await ledger.untilProbesApplied();
    await ledger.expectSettled();
  });

  test('INV-14: aborted transactions are not applied, and committed ones are applied completely', async () => {
    const producer = await open({ transactionalId: `${service.topicPrefix}one`, codec: 'gzip' });
    await producer.begin();
    await ledger.send(producer, [ledger.good(6), bad(6, Buffer.from('committed')), ledger.good(7)]);
    await producer.commit();
    await producer.begin();
    await ledger.send(producer, [
      { ...ledger.good(6), due: 'nothing' },
      { ...bad(7, Buffer.from('aborted')), due: 'nothing' },
    ]);
    await producer.abort();
    await producer.begin();
    await ledger.send(producer, [ledger.good(6), ledger.good(7)]);
    await producer.commit();
    await ledger.untilProbesApplied();
    await ledger.expectSettled();
  });

  test('INV-14: a record between two aborted transactions that overlap is applied', async () => {
    const first = await open({ transactionalId: `${service.topicPrefix}first` });
    const second = await open({ transactionalId: `${service.topicPrefix}second` });
    const plain = await open();
    await Promise.all([first.begin(), second.begin()]);
    await ledger.send(first, [{ ...ledger.good(8), due: 'nothing' }]);
    await ledger.send(second, [{ ...ledger.good(8), due: 'nothing' }]);
    await ledger.send(plain, [ledger.good(8), bad(8, Buffer.from('between'))]);
    await ledger.send(first, [{ ...ledger.good(8), due: 'nothing' }]);
    await first.abort();
    await ledger.send(plain, [ledger.good(8)]);
    await ledger.send(second, [{ ...ledger.good(8), due: 'nothing' }]);
    await second.abort();
    await ledger.untilProbesApplied();
    await ledger.expectSettled();
  });

  test('INV-14: an open transaction holds back only its partition, until it is aborted', async () => {
    const transactionalId = `${service.topicPrefix}left-open`;
    const leaver = await open({ transactionalId });
    await leaver.begin();
    await ledger.send(leaver, [{ ...ledger.good(9), due: 'nothing' }]);
    const held = ledger.good(9);
    await ledger.send(await open(), [{ ...held, due: 'nothing' }]);
    await ledger.untilProbesApplied([9]);
    await ledger.expectSettled();

    ledger.owe(held);
    // A producer with the same id aborts its predecessor's transaction.
    const successor = await successors.open({ transactionalId });
    producers.push(successor);
    await successor.begin();
    await successor.abort();
    await ledger.untilProbesApplied();
    await ledger.expectSettled();
  });
}
