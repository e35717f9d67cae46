import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '@gangan/testing';

/** Runs the commands of a page: a shell that keeps its variables, and terminals in which programs keep running. */
export class Reader {
  private readonly shell: ChildProcess;
  private readonly terminals = new Map<string, { child: ChildProcess; printed: () => string }>();
  private readonly printed: () => string;
  private commands = 0;

  constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.shell = this.spawn(['-s']);
    this.printed = collect(this.shell);
  }

  /** Runs commands to their end, and returns what they print. */
  async run(commands: string): Promise<string> {
    const before = this.printed().length;
    const mark = `end-of-commands-${(this.commands += 1)}`;
    this.shell.stdin?.write(`${commands}\necho; echo ${mark} $?\n`);
    const output = await until(`the commands end:\n${commands}`, () => {
      const found = new RegExp(`^([^]*)\\n${mark} (\\d+)\\n`).exec(this.printed().slice(before));
      return found ?? false;
    });
    if (output[2] !== '0') throw new Error(`${commands}\nended with ${output[2] ?? ''}:\n${output[1] ?? ''}`);
    return output[1] ?? '';
  }

  /** Starts a program that keeps running. */
  open(terminal: string, command: string): void {
    const child = this.spawn(['-c', command]);
    this.terminals.set(terminal, { child, printed: collect(child) });
  }

  printedIn(terminal: string): string {
    return this.terminals.get(terminal)?.printed() ?? '';
  }

  async close(): Promise<void> {
    this.shell.stdin?.end();
    for (const child of [this.shell, ...[...this.terminals.values()].map((terminal) => terminal.child)]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      // With the programs that it has started.
      process.kill(-(child.pid ?? 0), 'SIGTERM');
      await ended;
    }
  }

  private spawn(args: readonly string[]): ChildProcess {
    return spawn('bash', args, { cwd: this.folder, env: this.env, detached: true });
  }
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let printed = '';
  for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return () => printed;
}
