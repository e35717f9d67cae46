import { createHash } from 'node:crypto';
import { type AppName, appNames } from '@gangan/protocol';

/** The role of operators who do not connect as the owner of the tables. */
export const operator = 'operator';

export type RoleName = AppName | typeof operator;

export const roleNames: readonly RoleName[] = [...appNames, operator];

/**
 * The group role of an app, or of operators. It cannot log in: login users become members of it. Roles belong to the
 * whole server, so the name contains the database: two databases on one server share no roles. Postgres cuts names at
 * 63 bytes, so a long name is replaced by its hash.
 */
export function roleOf(name: RoleName, database: string): string {
  const isShort = Buffer.byteLength(database) <= 40;
  const prefix = isShort ? database : createHash('sha256').update(database).digest('hex').slice(0, 16);
  return `${prefix}_${name}`;
}
