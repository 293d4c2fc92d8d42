import { runProgram } from '../service/program.ts';

await runProgram('gateway', () => import('./program.ts'));
