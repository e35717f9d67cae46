import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type Database, sql } from '@gangan/database';
import { readValue } from './bench-environment.js';

/** Linux counts in hundredths of a second. */
const tickMicroseconds = 10_000;

export const processorTimeKnown = existsSync('/proc/self/stat');

interface Usage {
  readonly parent: number;
  /** Microseconds of all its threads. */
  readonly own: number;
  /** Of its children that have ended. */
  readonly ended: number;
}

/** @returns `undefined` if the process has ended */
async function usageOf(pid: number | string): Promise<Usage | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (line === undefined) return undefined;
  // The name in brackets may contain spaces; the fields after it are numbered from 3 in proc(5).
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    parent: field(4),
    own: (field(14) + field(15)) * tickMicroseconds,
    ended: (field(16) + field(17)) * tickMicroseconds,
  };
}

/** The microseconds of processor time that a process has used. */
export const processorTime = async (pid: number): Promise<number> => (await usageOf(pid))?.own ?? NaN;

/** The same for the server of `database` with all its processes. */
export async function postgresTime(database: Database): Promise<number> {
  if (!processorTimeKnown) return NaN;
  const backend = await readValue<number>(database, sql`SELECT pg_backend_pid() AS value`);
  const server = (await usageOf(backend))?.parent ?? 0;
  for (;;) {
    const before = await usageOf(server);
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const all = await Promise.all(pids.map(usageOf));
    const { own = NaN, ended = NaN } = (await usageOf(server)) ?? {};
    // A process that ended meanwhile would count twice.
    if (before && before.ended !== ended) continue;
    return all.reduce((sum, one) => sum + (one?.parent === server ? one.own : 0), own + ended);
  }
}

/** The memory that a process holds (`VmRSS`), or the most that it held since `resetPeak` (`VmHWM`), in MB. */
export async function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
}

/** Described in proc(5). */
export const resetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');
