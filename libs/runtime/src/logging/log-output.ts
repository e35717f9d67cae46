import { write } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { DestinationStream } from 'pino';

const mostWaitingCharacters = 8 * 1024 * 1024;
const fullPipePauseMs = 20;
const lastWordsMs = 1_000;

/**
 * Standard output, written beside the work and never in its way. A reader that has stopped reading costs lines, but
 * neither memory nor time; one that is gone leaves nobody to tell, and what has begun must still be finished.
 * (Pino's own destination waits for ever in both cases when the process ends.)
 */
export class LogOutput implements DestinationStream {
  private waiting = '';
  private writing = false;
  private readerGone = false;
  private readonly onWritten: (() => void)[] = [];

  constructor(private readonly file = 1) {}

  write(lines: string): void {
    if (this.readerGone || this.waiting.length > mostWaitingCharacters) return;
    this.waiting += lines;
    if (!this.writing) this.next();
  }

  /** To be awaited before the process ends: every line is out, or nobody takes it. */
  async flush(): Promise<void> {
    if (!this.writing) return;
    const written = new Promise<void>((resolve) => this.onWritten.push(resolve));
    await Promise.race([written, pause(lastWordsMs)]);
  }

  private next(): void {
    this.writing = this.waiting !== '';
    if (this.writing) {
      const lines = Buffer.from(this.waiting);
      this.waiting = '';
      this.put(lines);
    } else {
      for (const tell of this.onWritten.splice(0)) tell();
    }
  }

  private put(lines: Buffer): void {
    write(this.file, lines, (error, written) => {
      if (error?.code === 'EAGAIN')
        setTimeout(() => {
          this.put(lines);
        }, fullPipePauseMs);
      else if (error) this.giveUp();
      else if (written < lines.length) this.put(lines.subarray(written));
      else this.next();
    });
  }

  private giveUp(): void {
    this.readerGone = true;
    this.waiting = '';
    this.next();
  }
}
