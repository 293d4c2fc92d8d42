import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { parse } from 'yaml';
import { createFolder } from '../folder.ts';
import { findProgram } from '../servers/find-program.ts';

const run = promisify(execFile);

/** The rules of alerts and objectives. */
export const RULES = resolve(import.meta.dirname, '../../../ops/monitoring/alerts.yml');

/** Whether a program of Prometheus is installed. Debian's package "prometheus" has both. */
export const hasProgram = (name: 'promtool' | 'prometheus'): boolean => findProgram(name) !== null;

export const describeWithPromtool = hasProgram('promtool') ? describe : describe.skip;

/** Runs promtool. @returns its output if it fails; empty if it succeeds */
export function promtool(...args: string[]): Promise<string> {
  return run('promtool', args).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

/** The groups of rules that look at hours, and those that look at minutes. */
type RuleGroups = 'objectives' | 'others';

/**
 * Tests some of the rules with promtool, because all of them would take long. @returns the differences; empty if there
 * are none
 */
export async function testRules(
  groups: RuleGroups,
  evaluationSeconds: number,
  tests: readonly object[],
): Promise<string> {
  const all: { name: string }[] = parse(await readFile(RULES, 'utf8')).groups;
  const tested = all.filter(({ name }) => name.startsWith('objectives') === (groups === 'objectives'));
  const content = { rule_files: ['rules.yml'], evaluation_interval: `${evaluationSeconds}s`, tests };
  const folder = await createFolder({
    'rules.yml': JSON.stringify({ groups: tested }),
    'test.yml': JSON.stringify(content),
  });
  return promtool('test', 'rules', folder.file('test.yml')).finally(folder.remove);
}
