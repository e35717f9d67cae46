import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { wrkInstalled } from '../load/wrk.js';
import { projectFile } from '../scripts.js';

export type Machine = ReturnType<typeof describeMachine>;

const dateLength = 'yyyy-mm-dd'.length;

export const describeMachine = () => ({
  date: new Date().toISOString().slice(0, dateLength),
  commit: currentCommit(),
  cores: availableParallelism(),
  arch: process.arch,
  node: process.versions.node,
  generator: wrkInstalled ? ('wrk' as const) : ('own' as const),
  /** The load of the last minute before the run: figures of a busy machine say little. */
  busy: Number((loadavg()[0] ?? 0).toFixed(1)),
});

/** `undefined` outside a git repository. */
function currentCommit(): string | undefined {
  try {
    const cwd = fileURLToPath(projectFile('.'));
    const options = { cwd, encoding: 'utf8' as const, stdio: 'pipe' as const };
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim();
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
