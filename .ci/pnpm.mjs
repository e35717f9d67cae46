import { spawnSync } from 'node:child_process';

/** The pnpm of the PATH if there is one: npx needs seconds to find its own. */
const [command, ...first] =
  spawnSync('pnpm', ['--version']).status === 0 ? ['pnpm'] : ['npx', '--yes', 'pnpm@12'];

export const pnpm = (...args) =>
  spawnSync(command, [...first, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
