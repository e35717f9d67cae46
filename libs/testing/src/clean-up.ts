import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';

/**
 * Ends the servers that the pid files name and removes the folder when this process has ended, also by `kill -9`: the
 * shell waits until its input is closed. SIGINT stops both Postgres and Redis in order. What is mounted in the folder is
 * unmounted first.
 */
const script = `cat >/dev/null
dir=$1; signal=$2; shift 2
pids=$(for file in "$@"; do [ -f "$file" ] && head -n 1 "$file"; done)
for pid in $pids; do kill "-$signal" "$pid"; done
for pid in $pids; do
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" || break; sleep 0.3; done
  kill -9 "$pid"
done
for part in "$dir"/*; do mountpoint -q "$part" && umount -l "$part"; done
rm -rf "$dir"`;

export const cleanUpCommand = (
  folder: string,
  pidFiles: readonly string[],
  signal: 'INT' | 'KILL' = 'INT',
): [string, string[]] => ['/bin/sh', ['-c', script, 'sh', folder, signal, ...pidFiles]];

/** Makes sure that a test server and its folder do not outlive the test process. */
export class CleanUp {
  private readonly watcher: ChildProcess;

  constructor(
    private readonly folder: string,
    pidFiles: readonly string[],
    signal?: 'INT' | 'KILL',
  ) {
    this.watcher = spawn(...cleanUpCommand(folder, pidFiles, signal), {
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.watcher.unref();
    (this.watcher.stdin as unknown as { unref(): void }).unref();
  }

  /** Removes the folder; the server has been stopped. */
  async done(): Promise<void> {
    this.watcher.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Ends what still runs and removes the folder, as if this process had ended. */
  async now(): Promise<void> {
    this.watcher.ref();
    const ended = once(this.watcher, 'exit');
    this.watcher.stdin?.end();
    await ended;
  }
}
