import pg from 'pg';
import type { ProviderDomain } from '@gangan/database';
import type { RoleName } from './role-names.js';

/** The domain whose providers each app sees. Operators see and change all of them, as the owner of the table does. */
const visible: readonly (readonly [RoleName, ProviderDomain | 'all'])[] = [
  ['messaging', 'message'],
  ['otp', 'message'],
  ['airtime', 'airtime'],
  ['lookup', 'lookup'],
  ['operator', 'all'],
];

/**
 * Row-level security of `provider`. Each policy has the name of its role, and is created once: both need a lock on the table, which
 * reads would wait for.
 */
export function providerPolicies(schema: string, roleOf: (name: RoleName) => string): string {
  const table = `${schema}.provider`;
  const policies = visible.map(([name, domain]) => {
    const role = roleOf(name);
    const [command, condition] =
      domain === 'all' ? ['ALL', 'true'] : ['SELECT', `'${domain}' = ANY (domains)`];
    return `IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = ${literal(table)}::regclass AND polname = ${literal(role)}) THEN
    CREATE POLICY ${pg.escapeIdentifier(role)} ON ${table} FOR ${command} TO ${pg.escapeIdentifier(role)} USING (${condition});
  END IF;`;
  });
  return `DO $do$ BEGIN
  ${policies.join('\n  ')}
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = ${literal(table)}::regclass) THEN
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  END IF;
END $do$;`;
}

const literal = (text: string): string => pg.escapeLiteral(text);
