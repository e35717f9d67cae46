import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';

/**
 * Ends what the pid files name and removes the folder when this process is gone, however it went: the shell waits
 * for the other end of its input to close, which even `kill -9` does. SIGINT is the orderly end of both Postgres
 * and Redis.
 */
const script = `cat >/dev/null
dir=$1; shift
for file in "$@"; do
  [ -f "$file" ] || continue
  pid=$(head -n 1 "$file")
  kill -INT "$pid"
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" || break; sleep 0.3; done
  kill -9 "$pid"
done
rm -rf "$dir"`;

export const lastWill = (folder: string, pidFiles: readonly string[]): [string, string[]] => [
  '/bin/sh',
  ['-c', script, 'sh', folder, ...pidFiles],
];

/** Sees that a test server and its folder do not outlive the test process. */
export class CleanUp {
  private readonly watcher: ChildProcess;

  constructor(
    private readonly folder: string,
    pidFiles: readonly string[],
  ) {
    this.watcher = spawn(...lastWill(folder, pidFiles), {
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.watcher.unref();
    (this.watcher.stdin as unknown as { unref(): void }).unref();
  }

  /** The ordinary way: the server has been stopped, the folder goes now. */
  async done(): Promise<void> {
    this.watcher.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Ends what still runs, and the folder, as if this process were gone. */
  async now(): Promise<void> {
    this.watcher.ref();
    const ended = once(this.watcher, 'exit');
    this.watcher.stdin?.end();
    await ended;
  }
}
