import pg from 'pg';
import { inMigrationTransaction } from '../migrations/migrate.js';
import { type RoleName, roleNames, roleOf } from './role-names.js';
import { scramVerifier } from './scram-verifier.js';

/**
 * Creates a login user for each of these apps, and for operators, as a member of the role, or gives it the new password.
 * Returns the URL with which each connects. Needs the roles of `grantRoles`.
 */
export function createAppLogins<Passwords extends Readonly<Partial<Record<RoleName, string>>>>(
  url: string,
  passwords: Passwords,
): Promise<Readonly<Record<keyof Passwords, string>>> {
  return inMigrationTransaction(url, async (client) => {
    const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
    const urls: Partial<Record<RoleName, string>> = {};
    for (const app of roleNames) {
      const password = passwords[app];
      if (password === undefined) continue;
      const role = roleOf(app, rows[0]?.database ?? '');
      const login = `${role}_login`;
      await createLogin(client, login, role, password);
      urls[app] = withUser(url, login, password);
    }
    return urls as Record<keyof Passwords, string>;
  });
}

async function createLogin(client: pg.Client, login: string, role: string, password: string): Promise<void> {
  const quote = pg.escapeIdentifier;
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [login]);
  if (!rowCount) await client.query(`CREATE ROLE ${quote(login)} LOGIN`);
  await client.query(`ALTER ROLE ${quote(login)} PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`);
  await client.query(`GRANT ${quote(role)} TO ${quote(login)}`);
}

function withUser(url: string, user: string, password: string): string {
  const own = new URL(url);
  own.username = encodeURIComponent(user);
  own.password = encodeURIComponent(password);
  return own.href;
}
