import { type Database, type Mode, sql, type Statements } from '@gangan/database';
import { isId, type KeyScope } from '@gangan/protocol';
import { CommandError } from '../session/command-error.js';

export interface StoredKey {
  readonly id: string;
  readonly organisationId: string;
  readonly organisation: string;
  readonly mode: Mode;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: string | null;
}

type Condition = ReturnType<typeof sql>;

const select = (statements: Pick<Statements, 'query'>, condition: Condition): Promise<StoredKey[]> =>
  statements.query<StoredKey>(sql`
    SELECT k.id, k.organisation_id AS "organisationId", a.name || '/' || o.mode AS organisation, o.mode, k.name,
           k.prefix, k.scopes, k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt",
           k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", k.replaced_by AS "replacedBy",
           CASE WHEN k.revoked_at <= now() THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
                ELSE 'active' END AS state
    FROM api_key k JOIN organisation o ON o.id = k.organisation_id JOIN account a ON a.id = o.account_id
    WHERE ${condition} ORDER BY k.id`);

export const keysOf = (database: Database, organisationId: string): Promise<StoredKey[]> =>
  select(database, sql`k.organisation_id = ${organisationId}`);

/** By its id or by the beginning that is shown of it. */
export async function findKey(statements: Pick<Statements, 'query'>, given: string): Promise<StoredKey> {
  const found = await select(statements, isId(given) ? sql`k.id = ${given}` : sql`k.prefix = ${given}`);
  const [key] = found;
  if (key && found.length === 1) return key;
  throw new CommandError(
    key
      ? `Several keys begin with ${given}: use an id, one of ${found.map(({ id }) => id).join(', ')}.`
      : 'There is no such key: give its id or its first 16 characters, as `pnpm admin keys list <organisation>` shows them.',
  );
}
