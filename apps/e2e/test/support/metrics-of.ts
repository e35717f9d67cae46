import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReachableSystem } from '@gangan/testing';

/** Where a process serves its metrics, until it ends. @param app as in `apps` */
export async function metricsUrlOf({ folder }: ReachableSystem, app: string): Promise<string> {
  const log = await readFile(join(folder, 'logs', `${app}.log`), 'utf8');
  const port = [...log.matchAll(/"metricsPort":(\d+)/g)].at(-1)?.[1] ?? '';
  return `http://127.0.0.1:${port}/metrics`;
}
