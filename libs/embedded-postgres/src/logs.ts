import { readFileSync, renameSync, statSync } from 'node:fs';

const maxBytes = 10 * 1024 * 1024;

/** Rotates a log that is long. Returns the number of bytes in it. */
export function rotateLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return size;
  renameSync(file, `${file}.1`);
  return 0;
}

/** The last lines that were written after the log had `from` bytes. */
export const lastLogLines = (file: string, from: number, count: number): string[] =>
  readFileSync(file).subarray(from).toString('utf8').split('\n').filter(Boolean).slice(-count);
