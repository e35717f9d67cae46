import pg from 'pg';
import { Prisma, sql, type Statements } from '@gangan/database';
import { roleOf } from './role-names.js';
import { scramVerifier } from './scram-verifier.js';

const quote = pg.escapeIdentifier;

/** The login of an operator: `gangan_operator_ada`. Names of up to 13 characters fit into the 63 bytes of Postgres. */
export async function operatorLoginOf(transaction: Statements, name: string): Promise<string> {
  return `${await operatorRole(transaction)}_${name}`;
}

async function operatorRole(transaction: Statements): Promise<string> {
  const [row] = await transaction.query<{ database: string }>(sql`SELECT current_database() AS database`);
  return roleOf('operator', row?.database ?? '');
}

/**
 * Creates the login of an operator with this password. One that exists keeps its password, and becomes a member of the role of the
 * operators again. Needs CREATEROLE, and the roles of `grantRoles`.
 */
export async function addOperatorLogin(
  transaction: Statements,
  name: string,
  password: string,
): Promise<{ readonly login: string; readonly isNew: boolean }> {
  const login = await operatorLoginOf(transaction, name);
  const isNew = !(await exists(transaction, login));
  const created = `CREATE ROLE ${quote(login)} LOGIN PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`;
  if (isNew) await transaction.execute(Prisma.raw(created));
  const role = await operatorRole(transaction);
  await transaction.execute(Prisma.raw(`GRANT ${quote(role)} TO ${quote(login)}`));
  return { login, isNew };
}

/** Ends the open connections of a login, and drops it. */
export async function dropOperatorLogin(transaction: Statements, login: string): Promise<void> {
  if (!(await exists(transaction, login))) return;
  // A user who created a role may administer it, but can end its connections only as a member.
  await transaction.execute(Prisma.raw(`ALTER ROLE ${quote(login)} NOLOGIN`));
  await transaction.execute(Prisma.raw(`GRANT ${quote(login)} TO CURRENT_USER`));
  await transaction.query(
    sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${login}`,
  );
  await transaction.execute(Prisma.raw(`DROP ROLE ${quote(login)}`));
}

const exists = async (transaction: Statements, login: string): Promise<boolean> =>
  (await transaction.query(sql`SELECT FROM pg_roles WHERE rolname = ${login}`)).length > 0;
