import { availableParallelism, loadavg } from 'node:os';
import { currentCommit } from '@gangan/testing';

export type Machine = ReturnType<typeof describeMachine>;

const commitLength = 8;

export const describeMachine = () => ({
  date: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
  commit: currentCommit().slice(0, commitLength),
  cores: availableParallelism(),
  arch: process.arch,
  node: process.versions.node,
  /** The load of the last minute before the run: figures of a busy machine say little. */
  busy: Number((loadavg()[0] ?? 0).toFixed(1)),
});

export const machineText = ({ date, commit, cores, arch, node, busy }: Machine): string =>
  `${date}, commit ${commit}, ${cores} cores (${arch}), Node ${node}, load of the machine before the run ${busy}`;
