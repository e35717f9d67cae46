import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { wrkInstalled } from '../load/wrk.js';
import { projectFile } from '../scripts.js';
import type { Machine } from './report/result.js';

const dateLength = 'yyyy-mm-dd'.length;

export function describeMachine(): Machine {
  const commit = currentCommit();
  return {
    date: new Date().toISOString().slice(0, dateLength),
    ...(commit !== undefined && { commit }),
    cores: availableParallelism(),
    arch: process.arch,
    node: process.versions.node,
    generator: wrkInstalled ? 'wrk' : 'own',
    busy: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

/** `undefined` outside a git repository. */
function currentCommit(): string | undefined {
  try {
    const cwd = fileURLToPath(projectFile('.'));
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, stdio: [...stdio] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

export const machineText = ({ date, commit, cores, arch, node, generator, busy }: Machine): string =>
  [
    date,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
    `${cores} cores (${arch})`,
    `Node ${node}`,
    generator === 'wrk' ? 'load by wrk' : 'load by our own generator',
    `load of the machine before the run ${busy}`,
  ].join(', ');
