import type { AppLogger } from '@gangan/runtime';

/** A log that records warnings and errors. */
export class TestLog implements AppLogger {
  readonly lines: { readonly level: 'warn' | 'error'; readonly details: object; readonly message: string }[] =
    [];

  debug(): void {
    return;
  }

  info(): void {
    return;
  }

  warn(details: object, message: string): void {
    this.lines.push({ level: 'warn', details, message });
  }

  error(details: object, message: string): void {
    this.lines.push({ level: 'error', details, message });
  }

  fatal(details: object, message: string): void {
    this.error(details, message);
  }
}
