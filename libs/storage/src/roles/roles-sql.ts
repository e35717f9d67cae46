import pg from 'pg';
import { appGrants, functionGrants, sequenceGrants } from './app-grants.js';
import { operatorFunctions, operatorGrants, operatorSequences } from './operator-grants.js';
import { providerPolicies } from './provider-policies.js';
import { operator, type RoleName, roleNames, roleOf } from './role-names.js';

export interface RolesTarget {
  readonly database: string;
  /** The schema of the tables. */
  readonly schema: string;
}

/** Further privileges that every app needs, such as those on the tables of the queue. */
export type FurtherGrants = (role: string) => readonly string[];

/**
 * The SQL that creates the roles and gives each exactly the privileges of `appGrants` or `operatorGrants`, and the policies of providers. It can be
 * run again: privileges that are no longer listed are revoked.
 */
export function rolesSql({ database, schema }: RolesTarget, further: FurtherGrants = () => []): string {
  const quote = pg.escapeIdentifier;
  const roles = roleNames.map((name) => quote(roleOf(name, database))).join(', ');
  return [
    ...roleNames.map((name) => createRole(roleOf(name, database))),
    // An app that adds several jobs to a queue at once uses temporary tables.
    `GRANT CONNECT, TEMPORARY ON DATABASE ${quote(database)} TO ${roles};`,
    `GRANT USAGE ON SCHEMA ${quote(schema)} TO ${roles};`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${quote(schema)} FROM ${roles};`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${quote(schema)} FROM ${roles};`,
    revokeFunctions(schema, roles),
    ...roleNames.flatMap((name) => grantsOf(name, quote(schema), quote(roleOf(name, database)))),
    providerPolicies(quote(schema), (name) => roleOf(name, database)),
    ...further(roles),
  ].join('\n');
}

/** Leaves out functions of an extension: the owner of the tables cannot revoke those of an administrator. */
const revokeFunctions = (schema: string, roles: string): string => `DO $do$ DECLARE own regprocedure; BEGIN
  FOR own IN SELECT oid FROM pg_proc WHERE pg_has_role(proowner, 'USAGE')
    AND pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = ${pg.escapeLiteral(schema)}) LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM ${roles.replaceAll("'", "''").replaceAll('%', '%%')}', own);
  END LOOP;
END $do$;`;

const createRole = (role: string): string => `DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${pg.escapeLiteral(role)}) THEN
    CREATE ROLE ${pg.escapeIdentifier(role)} NOLOGIN;
  END IF;
END $do$;`;

const grantsOf = (name: RoleName, schema: string, role: string): string[] => [
  ...Object.entries(name === operator ? operatorGrants : appGrants[name]).map(
    ([table, privileges]) => `GRANT ${privileges.join(', ')} ON ${schema}.${table} TO ${role};`,
  ),
  ...((name === operator ? operatorSequences : sequenceGrants[name]) ?? []).map(
    (sequence) => `GRANT USAGE ON SEQUENCE ${schema}.${sequence} TO ${role};`,
  ),
  ...((name === operator ? operatorFunctions : functionGrants[name]) ?? []).map(
    (called) => `GRANT EXECUTE ON FUNCTION ${schema}.${called} TO ${role};`,
  ),
];
