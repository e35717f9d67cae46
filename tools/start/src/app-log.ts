import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';

const longest = 10 * 1024 * 1024;
const tailBytes = 16 * 1024;

/** The log file of one app. The app writes to it directly, so its last words arrive even when we are gone. */
export class AppLog {
  private offset = 0;

  constructor(readonly file: string) {
    if (this.size() > longest) renameSync(file, `${file}.1`);
  }

  /** Lends the file to `use` (to start a process with it); what is written from now on is `lastLines`. */
  lend<T>(use: (descriptor: number) => T): T {
    this.offset = this.size();
    const descriptor = openSync(this.file, 'a');
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  async lastLines(count: number): Promise<string[]> {
    const from = Math.max(this.offset, this.size() - tailBytes);
    const handle = await open(this.file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(tailBytes), 0, tailBytes, from);
      return buffer.toString('utf8', 0, bytesRead).split('\n').filter(Boolean).slice(-count);
    } finally {
      await handle.close();
    }
  }

  private size(): number {
    return statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }
}
