import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where programs for administrators are, which is not on the path of every user. */
const further = ['/usr/sbin', '/usr/local/sbin'];

/** The path of a program, or `undefined` if it is not installed. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...further]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

export const isInstalled = (name: string): boolean => findProgram(name) !== undefined;
