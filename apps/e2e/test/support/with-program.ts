import { spawnSync } from 'node:child_process';
import { it } from '@jest/globals';

const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).status === 0;

/** Runs the test if the program is installed, and says so otherwise. */
export function withProgram(name: string): typeof it | typeof it.skip {
  if (hasProgram(name)) return it;
  process.stderr.write(`\n  !!  SKIPPED: a test needs ${name}, which is not on the PATH  !!\n\n`);
  return it.skip;
}
