import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The examples of a page, in their order. They are valid JavaScript, too. */
export const examplesOf = (page: string): string[] =>
  [...readFileSync(file(`../../../../${page}`), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(
    ([, code = '']) => code,
  );

/** Runs an example in a process of its own, which finds the packages of this project. */
export function startExample(code: string, env: Readonly<Record<string, string>> = {}) {
  const args = ['--input-type=module', '--eval', code];
  const child = spawn(process.execPath, args, { cwd: file('../..'), env: { ...process.env, ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const end = once(child, 'exit');
  return {
    printed: (): string => printed,
    /** Waits for its end. */
    ended: async (): Promise<{ code: unknown; printed: string }> => {
      const [exitCode] = (await end) as unknown[];
      return { code: exitCode, printed };
    },
    stop: async (): Promise<void> => {
      child.kill();
      await end;
    },
  };
}
