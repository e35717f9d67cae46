import { runAdmin } from '@gangan/admin';
import process from 'node:process';

/** Runs a command of `pnpm admin` in this process, and returns the JSON that it prints. */
export async function admin<T = Record<string, unknown>>(
  env: Record<string, string>,
  ...args: string[]
): Promise<T> {
  let [out, err] = ['', ''];
  const terminal = {
    out: { write: (text: string) => (out += text) },
    err: { write: (text: string) => (err += text) },
    isTerminal: false,
  };
  const code = await runAdmin([...args, '--json', '--yes'], { PATH: process.env['PATH'], ...env }, terminal);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}
