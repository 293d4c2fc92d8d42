import type { CallFrame, CpuProfile, HeapNode } from './inspector.ts';

interface Frame {
  name: string;
  /** The part of the program that owns the function. */
  origin: Origin;
}

/** A function in a flame graph: its cost, and that of the functions it called. */
export interface Flame extends Frame {
  value: number;
  children: Flame[];
}

export const ORIGINS = ['the service', 'its libraries', 'Node', 'system calls and V8'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Idle time. */
const IDLE = new Set(['(idle)', '(root)']);

/** @param root the folder of the repository, with a trailing slash */
function describe({ functionName, url, lineNumber }: CallFrame, root: string): Frame {
  const file = url.replace('file://', '');
  if (file === '') return { name: functionName, origin: 'system calls and V8' };
  const called = functionName || `line ${lineNumber + 1}`;
  if (file.startsWith('node:')) return { name: `${called} ${file}`, origin: 'Node' };
  const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (library) return { name: `${called} ${library}`, origin: 'its libraries' };
  return { name: `${called} ${file.replace(root, '')}`, origin: 'the service' };
}

/** Adds a cost to a path of functions. Calls of one function from the same place share a flame. */
function addTo(parent: Flame, frames: readonly Frame[], value: number): void {
  let at = parent;
  at.value += value;
  for (const frame of frames) {
    let next = at.children.find(({ name }) => name === frame.name);
    if (!next) {
      next = { ...frame, value: 0, children: [] };
      at.children.push(next);
    }
    next.value += value;
    at = next;
  }
}

const createRoot = (): Flame => ({ name: 'all', origin: 'system calls and V8', value: 0, children: [] });

/** The processor time of a profile, in microseconds, without idle time. */
export function flameOfCpu({ nodes, samples, timeDeltas }: CpuProfile, root: string): Flame {
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const flame = createRoot();
  const visit = (id: number, path: readonly Frame[]) => {
    const node = byId.get(id);
    if (!node) return;
    const isIdle = IDLE.has(node.callFrame.functionName);
    const own = isIdle ? path : [...path, describe(node.callFrame, root)];
    if (!isIdle) addTo(flame, own, times.get(id) ?? 0);
    for (const child of node.children ?? []) visit(child, own);
  };
  visit(nodes[0]?.id ?? 0, []);
  return flame;
}

/** The memory of a profile, in bytes. */
export function flameOfHeap(head: HeapNode, root: string): Flame {
  const flame = createRoot();
  const visit = ({ callFrame, selfSize, children }: HeapNode, path: readonly Frame[]) => {
    const own = callFrame.functionName === '(root)' ? path : [...path, describe(callFrame, root)];
    addTo(flame, own, selfSize);
    for (const child of children) visit(child, own);
  };
  visit(head, []);
  return flame;
}

/** The functions with the highest own cost over all callers, as parts of the whole. */
export function mostExpensive(flame: Flame, count: number): { name: string; origin: Origin; part: number }[] {
  const own = new Map<string, { name: string; origin: Origin; part: number }>();
  const visit = ({ name, origin, value, children }: Flame) => {
    const self = value - children.reduce((sum, child) => sum + child.value, 0);
    const known = own.get(name) ?? { name, origin, part: 0 };
    known.part += self / flame.value;
    own.set(name, known);
    children.forEach(visit);
  };
  flame.children.forEach(visit);
  return [...own.values()].toSorted((a, b) => b.part - a.part).slice(0, count);
}

/** The part of each origin in the cost of a flame, by the functions' own cost. */
export function partsOf(flame: Flame): Record<Origin, number> {
  const parts = Object.fromEntries(ORIGINS.map((origin) => [origin, 0])) as Record<Origin, number>;
  for (const { origin, part } of mostExpensive(flame, Number.POSITIVE_INFINITY)) parts[origin] += part;
  return parts;
}
