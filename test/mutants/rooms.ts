/** A room to mutate, and the tests that have to find its mutants. */
interface Room {
  /** The folder of the code. */
  folder: string;
  /** Globs of test files. */
  tests: readonly string[];
  /** Whether these tests need Postgres and Kafka. */
  needsServers: boolean;
}

/**
 * The rooms of `npm run test:mutants`. Each has the tests beside it; the schemas also have the tests of the rooms that
 * check data with them. Tests that take longer than a few seconds are left out, because they run again for each mutant.
 */
const ROOMS: readonly Room[] = [
  { folder: 'domain', tests: ['test/domain/**/*.test.ts'], needsServers: false },
  {
    folder: 'schemas',
    tests: [
      'test/schemas/**/*.test.ts',
      'test/domain/submission-rules.test.ts',
      'test/ops/{catalog-files,catalog-records,submit-records}.test.ts',
      'test/gateway/http/{openapi,parameters}.test.ts',
    ],
    needsServers: false,
  },
  {
    folder: 'gateway/feed',
    tests: ['test/gateway/feed/{chunk-cache,memory-log,merge,read-ahead,reader,replay-run}.test.ts'],
    needsServers: false,
  },
  {
    folder: 'gateway/limits',
    tests: ['test/gateway/limits/{concurrency,headers,leased-window,request-limiter,stream-leases}.test.ts'],
    needsServers: true,
  },
  {
    folder: 'consumers',
    tests: [
      'test/consumers/{apply-ranges,backlog,leadership,reconcile-offsets,rejected-producer,rejection,relay,submission-fault,submission-record,topic-watch}.test.ts',
      'test/consumers/replicas/replica-gate.test.ts',
    ],
    needsServers: true,
  },
];

/**
 * The rooms of some paths, each with the globs of its files to mutate.
 *
 * @param paths files or folders of the rooms; all rooms if there are none
 * @throws Error if a path is in no room
 */
export function chooseMutants(paths: readonly string[]): { room: Room; mutate: string[] }[] {
  if (paths.length === 0) return ROOMS.map((room) => ({ room, mutate: [`${room.folder}/**/*.ts`] }));
  const chosen = paths.map((path) => {
    const clean = path.replace(/\/$/, '');
    const room = ROOMS.find(({ folder }) => `${clean}/`.startsWith(`${folder}/`));
    if (!room) {
      throw new Error(`${path} is not in ${ROOMS.map(({ folder }) => folder).join(', ')}.`);
    }
    // A file may be followed by a range of lines, such as "domain/ranking.ts:10-20".
    return { room, glob: /\.ts(:|$)/.test(clean) ? clean : `${clean}/**/*.ts` };
  });
  const byRoom = Map.groupBy(chosen, ({ room }) => room);
  return [...byRoom].map(([room, all]) => ({ room, mutate: all.map(({ glob }) => glob) }));
}
