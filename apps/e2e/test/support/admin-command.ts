import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('../../../../tools/admin/dist/main.js', import.meta.url));

/** Runs `pnpm admin` as built, and returns the JSON that it prints. */
export async function admin<T = Record<string, unknown>>(
  env: Record<string, string>,
  ...args: string[]
): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, '--json', '--yes'], {
    env: { PATH: process.env['PATH'], ...env },
  });
  return JSON.parse(stdout) as T;
}
