import { expect, test } from '@jest/globals';
import { flameOfCpu, flameOfHeap, mostExpensive, partsOf } from '../../bench/flames/flame.ts';
import type { CallFrame, CpuProfile } from '../../bench/flames/inspector.ts';

const ROOT = '/repository/';
const frame = (functionName: string, url = '', lineNumber = 0): CallFrame => ({
  functionName,
  url,
  lineNumber,
});

/** Idle for 100 µs; 30 in the service, 20 of them in a library; 10 in the same function of the service again. */
const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 5] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('answer', 'file:///repository/gateway/http/app.ts'), children: [4] },
    { id: 4, callFrame: frame('query', 'file:///repository/node_modules/@scope/pg/index.js') },
    { id: 5, callFrame: frame('answer', 'file:///repository/gateway/http/app.ts') },
  ],
  samples: [2, 3, 4, 4, 5],
  timeDeltas: [100, 10, 10, 10, 10],
};

test('a flame graph of processor time leaves out idle time, and joins calls of one function', () => {
  expect(flameOfCpu(PROFILE, ROOT)).toEqual({
    name: 'all',
    origin: 'system calls and V8',
    value: 40,
    children: [
      {
        name: 'answer gateway/http/app.ts',
        origin: 'the service',
        value: 40,
        children: [{ name: 'query @scope/pg', origin: 'its libraries', value: 20, children: [] }],
      },
    ],
  });
});

test('the most expensive functions are ranked by their own cost over all callers', () => {
  const flame = flameOfCpu(PROFILE, ROOT);
  expect(mostExpensive(flame, 1)).toEqual([
    { name: 'answer gateway/http/app.ts', origin: 'the service', part: 0.5 },
  ]);
  expect(partsOf(flame)).toEqual({
    'the service': 0.5,
    'its libraries': 0.5,
    Node: 0,
    'system calls and V8': 0,
  });
});

test('a flame graph of memory adds up allocations by function; unnamed functions show their line', () => {
  const child = { callFrame: frame('', 'node:net', 41), selfSize: 30, children: [] };
  const head = {
    callFrame: frame('(root)'),
    selfSize: 0,
    children: [{ callFrame: frame('writev'), selfSize: 10, children: [child] }],
  };
  const flame = flameOfHeap(head, ROOT);
  expect(flame.value).toBe(40);
  expect(flame.children[0]).toMatchObject({ name: 'writev', origin: 'system calls and V8', value: 40 });
  expect(flame.children[0]?.children).toMatchObject([
    { name: 'line 42 node:net', origin: 'Node', value: 30 },
  ]);
});
