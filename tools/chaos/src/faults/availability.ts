import { existsSync, readdirSync } from 'node:fs';
import type { BrokerKind } from '@gangan/testing';
import { type FaultName, faultKinds } from '../plan/fault-kinds.js';
import { Disk } from '../system/disk.js';

export interface SkippedFault {
  readonly fault: FaultName;
  readonly reason: string;
}

/** Which of the faults this machine and queue can have. */
export function availableFaults(faults: readonly FaultName[], queue: BrokerKind) {
  const skipped = faults.flatMap((fault): SkippedFault[] => {
    const reason = reasonAgainst(fault, queue);
    return reason === undefined ? [] : [{ fault, reason }];
  });
  const names = new Set(skipped.map(({ fault }) => fault));
  return { faults: faults.filter((fault) => !names.has(fault)), skipped };
}

function reasonAgainst(fault: FaultName, queue: BrokerKind): string | undefined {
  const needed = faultKinds[fault].queue;
  if (needed !== undefined && needed !== queue) return `the queue runs on ${queue}`;
  if (fault === 'disk-full') return Disk.fault();
  if (fault === 'wrong-clock' && faketimeLibrary() === undefined)
    return 'faketime is not installed (Debian package faketime)';
  return undefined;
}

/** The library that changes the clock of a process with several threads. */
export function faketimeLibrary(): string | undefined {
  const folders = ['/usr/lib', '/usr/lib64', '/usr/local/lib'].filter(existsSync);
  const candidates = folders.flatMap((folder) => [
    folder,
    ...readdirSync(folder)
      .filter((name) => name.includes('linux'))
      .map((name) => `${folder}/${name}`),
  ]);
  return candidates.map((folder) => `${folder}/faketime/libfaketimeMT.so.1`).find(existsSync);
}
