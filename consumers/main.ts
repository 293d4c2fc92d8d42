import { runProgram } from '../service/program.ts';

await runProgram('consumers', () => import('./program.ts'));
