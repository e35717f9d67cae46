import { createHash } from 'node:crypto';
import pg from 'pg';
import { type AppName, appGrants, appNames, sequenceGrants } from './app-grants.js';

export interface RolesTarget {
  readonly database: string;
  /** The schema of the tables. */
  readonly schema: string;
}

/** Further privileges that every app needs, such as those on the tables of the queue. */
export type FurtherGrants = (role: string) => readonly string[];

/**
 * The group role of an app. It cannot log in: login users become members of it. Roles belong to the whole server, so
 * the name contains the database: two databases on one server share no roles. Postgres cuts names at 63 bytes, so a
 * long name is replaced by its hash.
 */
export function roleOf(app: AppName, database: string): string {
  const isShort = Buffer.byteLength(database) <= 40;
  const prefix = isShort ? database : createHash('sha256').update(database).digest('hex').slice(0, 16);
  return `${prefix}_${app}`;
}

/**
 * The SQL that creates the role of each app and gives it exactly the privileges of `appGrants`. It can be run again:
 * privileges that are no longer listed are revoked.
 */
export function rolesSql({ database, schema }: RolesTarget, further: FurtherGrants = () => []): string {
  const quote = pg.escapeIdentifier;
  const roles = appNames.map((app) => quote(roleOf(app, database))).join(', ');
  return [
    ...appNames.map((app) => createRole(roleOf(app, database))),
    // Adding several jobs to a queue uses temporary tables.
    `GRANT CONNECT, TEMPORARY ON DATABASE ${quote(database)} TO ${roles};`,
    `GRANT USAGE ON SCHEMA ${quote(schema)} TO ${roles};`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${quote(schema)} FROM ${roles};`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${quote(schema)} FROM ${roles};`,
    ...appNames.flatMap((app) => grantsOf(app, quote(schema), quote(roleOf(app, database)))),
    ...further(roles),
  ].join('\n');
}

const createRole = (role: string): string => `DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${pg.escapeLiteral(role)}) THEN
    CREATE ROLE ${pg.escapeIdentifier(role)} NOLOGIN;
  END IF;
END $do$;`;

const grantsOf = (app: AppName, schema: string, role: string): string[] => [
  ...Object.entries(appGrants[app]).map(
    ([table, privileges]) => `GRANT ${privileges.join(', ')} ON ${schema}.${table} TO ${role};`,
  ),
  ...(sequenceGrants[app] ?? []).map(
    (sequence) => `GRANT USAGE ON SEQUENCE ${schema}.${sequence} TO ${role};`,
  ),
];
