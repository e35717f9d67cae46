import { write } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { DestinationStream } from 'pino';

const maxWaitingCharacters = 8 * 1024 * 1024;
const fullPipeDelayMs = 20;
const flushTimeoutMs = 1_000;

/**
 * Writes to standard output without blocking the process. If the reader stops reading, lines are dropped beyond a bound; if
 * the reader is gone, all of them are. Pino's own destination waits for ever in both cases when the process ends.
 */
export class LogOutput implements DestinationStream {
  private waiting = '';
  private writing = false;
  private readerGone = false;
  private readonly onWritten: (() => void)[] = [];

  constructor(private readonly file = 1) {}

  write(lines: string): void {
    if (this.readerGone || this.waiting.length > maxWaitingCharacters) return;
    this.waiting += lines;
    if (!this.writing) this.next();
  }

  /** Await it before the process ends: it resolves when every line is written, or the reader does not take it. */
  async flush(): Promise<void> {
    if (!this.writing) return;
    const written = new Promise<void>((resolve) => this.onWritten.push(resolve));
    await Promise.race([written, pause(flushTimeoutMs)]);
  }

  private next(): void {
    this.writing = this.waiting !== '';
    if (this.writing) {
      const lines = Buffer.from(this.waiting);
      this.waiting = '';
      this.put(lines);
    } else {
      for (const resolve of this.onWritten.splice(0)) resolve();
    }
  }

  private put(lines: Buffer): void {
    write(this.file, lines, (error, written) => {
      if (error?.code === 'EAGAIN')
        setTimeout(() => {
          this.put(lines);
        }, fullPipeDelayMs);
      else if (error) this.discard();
      else if (written < lines.length) this.put(lines.subarray(written));
      else this.next();
    });
  }

  private discard(): void {
    this.readerGone = true;
    this.waiting = '';
    this.next();
  }
}
