import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReachableSystem } from '@gangan/testing';

/** What the apps have logged for a request, to explain a failure. */
export async function linesOfRequest(system: ReachableSystem, requestId: string): Promise<string[]> {
  const folder = join(system.folder, 'logs');
  const files = (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8'));
  return (await Promise.all(files)).flatMap((file) =>
    file.split('\n').filter((line) => line.includes(requestId)),
  );
}
