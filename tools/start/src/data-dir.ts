import { describeError } from '@gangan/protocol';
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartError } from './start-error.js';

/** Everything that outlives a start. */
export class DataDir {
  readonly path: string;
  readonly logs: string;
  readonly postgres: string;
  readonly queueKey: string;
  readonly otpPepper: string;
  readonly lock: string;
  readonly running: string;

  constructor(path: string) {
    this.path = resolve(path);
    this.logs = join(this.path, 'logs');
    this.postgres = join(this.path, 'postgres');
    this.queueKey = join(this.path, 'queue.key');
    this.otpPepper = join(this.path, 'otp.pepper');
    this.lock = join(this.path, 'start.lock');
    this.running = join(this.path, 'running.json');
  }

  async make(): Promise<void> {
    try {
      await mkdir(this.logs, { recursive: true });
      // Under root, Postgres runs as a user of its own who must be able to pass through here.
      if (process.getuid?.() === 0) await Promise.all([chmod(this.path, 0o711), chmod(this.logs, 0o711)]);
    } catch (cause) {
      throw new StartError(
        `The data folder ${this.path} cannot be used (${describeError(cause)}). ` +
          'Make it writable, or choose another with GANGAN_DATA_DIR=/some/folder.',
        { cause },
      );
    }
  }

  logOf(app: string): string {
    return join(this.logs, `${app}.log`);
  }
}
