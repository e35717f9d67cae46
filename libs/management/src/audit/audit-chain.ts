import { createHash } from 'node:crypto';
import { type RowOf, sql, type SqlRunner, statement, t } from '@gangan/database';
import { pagesOf } from '../pages.js';

/** The chain of one organisation, or of the entries without one. */
export type AuditChain = RowOf<typeof listChains>;

const listChains = statement(
  {
    id: t.uuid,
    organisationId: t.nullable(t.uuid),
    number: t.bigint,
    hash: t.bytes,
    anchorNumber: t.bigint,
    anchorHash: t.bytes,
  },
  () => sql`
    SELECT id, organisation_id AS "organisationId", number, hash, anchor_number AS "anchorNumber", anchor_hash AS "anchorHash"
    FROM audit_chain ORDER BY id`,
);

/** The chain of the entries without an organisation is the first. */
export const auditChains = (runner: SqlRunner): Promise<AuditChain[]> => runner.run(listChains);

/** In the order of `audit_entry_hash`, as Postgres writes them. */
const fields = sql`ARRAY[link.number::text, entry.id::text, entry.actor, entry.database_user, entry.action,
  entry.organisation_id::text, entry.target, entry.before::text, entry.after::text,
  (extract(epoch FROM entry.created_at) * 1000)::bigint::text]`;

/** Places in a chain; `entryId` is null if the entry was removed. */
const listLinks = statement(
  { number: t.bigint, hash: t.bytes, entryId: t.nullable(t.uuid), fields: t.array(t.nullable(t.text)) },
  (chainId: string, after: bigint, limit: number) => sql`
    SELECT link.number, link.hash, entry.id AS "entryId", ${fields} AS fields
    FROM audit_link link LEFT JOIN audit_log entry ON entry.id = link.entry_id
    WHERE link.chain_id = ${chainId}::uuid AND link.number > ${after}::bigint ORDER BY link.number LIMIT ${limit}`,
);

const pageSize = 2_000;

/** The links of a chain after the anchor. */
export async function* linksOf(transaction: SqlRunner, { id, anchorNumber }: AuditChain) {
  const pages = pagesOf<RowOf<typeof listLinks>>(pageSize, (last) =>
    transaction.run(listLinks, id, last?.number ?? anchorNumber, pageSize),
  );
  for await (const page of pages) yield* page;
}

/** Some of the entries that are in no chain. */
export const findUnlinked = statement(
  { id: t.uuid, organisationId: t.nullable(t.uuid) },
  () => sql`
    SELECT entry.id, entry.organisation_id AS "organisationId" FROM audit_log entry
    WHERE NOT EXISTS (SELECT FROM audit_link WHERE entry_id = entry.id) LIMIT ${pageSize}`,
);

const findHash = statement(
  { hash: t.nullable(t.bytes) },
  (chainId: string, number: bigint) => sql`
    SELECT hash FROM audit_link WHERE chain_id = ${chainId}::uuid AND number = ${number}::bigint`,
);

/** The hash of an entry by its number, also of the last one that was removed because it was old. */
export async function hashAt(
  transaction: SqlRunner,
  { id, anchorNumber, anchorHash }: AuditChain,
  number: bigint,
): Promise<Buffer | undefined> {
  if (number === anchorNumber) return anchorHash;
  return (await transaction.run(findHash, id, number))[0]?.hash ?? undefined;
}

/** The hash that an entry must have after the one before it. */
export const hashOf = (previous: Buffer, entryFields: readonly (string | null)[]): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(
      entryFields.map((field) => (field === null ? '-' : `${Buffer.byteLength(field)}:${field}`)).join(','),
    )
    .digest();
