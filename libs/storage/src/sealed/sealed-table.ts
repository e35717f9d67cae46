import { nilUuid } from '@gangan/protocol';
import type { SealedColumn } from '@gangan/sealing';
import {
  command,
  Prisma,
  type ProviderDomain,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
  unnest,
} from '@gangan/database';

/** The next rows of a table, in the order of their ids. */
export interface Slice {
  /** The last row of the slice before. */
  readonly after: string;
  readonly limit: number;
  /** The ids of the keys whose texts are sealed again. */
  readonly earlierKeys: readonly Buffer[];
}

/** A text that was sealed again. It is stored only if the row still holds `before`. */
export interface Resealed {
  readonly id: string;
  readonly before: Buffer | null;
  readonly sealed: Buffer;
}

/** The keys of sealed texts, by their ids. */
export interface KeyIds {
  readonly first: readonly Buffer[];
  readonly earlier: readonly Buffer[];
}

interface Description {
  /** The column of the text that is still to be sealed; absent if there is none, or plain texts stay as they are. */
  readonly plain?: Sql;
  /** The primary key, if it is not a UUID named `id`. */
  readonly key?: { readonly name: Sql; readonly type: 'uuid' | 'text'; readonly start: string };
  /** Where the organisation is found, if not in the row itself. `own` is the row. */
  readonly organisation?: { readonly join: Sql; readonly id: Sql };
  /** Where the domain of a provider is found. */
  readonly domain?: Sql;
  /** Which rows of `own` have a sealed text. */
  readonly where?: Sql;
}

export type SealedTable = ReturnType<typeof sealedTable>;
export type SliceRow = RowOf<SealedTable['read']>;

const uuidKey = { name: sql`id`, type: 'uuid', start: nilUuid } as const;
const inTheRow = { join: Prisma.empty, id: sql`own.organisation_id` };

/** How the texts of a column are found, replaced and counted. */
export function sealedTable(
  column: SealedColumn,
  { plain, key = uuidKey, organisation = inTheRow, domain = sql`NULL`, where = sql`true` }: Description = {},
) {
  const [table = Prisma.empty, sealed = Prisma.empty] = column.split('.').map((name) => Prisma.raw(name));
  const type = Prisma.raw(key.type);
  const plainText = plain ? sql`own.${plain}` : sql`NULL::text`;
  return {
    column,
    /** A key that sorts before all others. */
    start: key.start,
    /** `plain` is a text that is to be sealed, `sealed` one that is to be sealed again. */
    read: statement(
      {
        id: t.text,
        organisationId: t.uuid,
        domain: t.nullable(t.textOf<ProviderDomain>()),
        plain: t.nullable(t.text),
        sealed: t.nullable(t.bytes),
      },
      ({ after, limit, earlierKeys }: Slice) => sql`
        SELECT own.${key.name}::text AS id, ${organisation.id} AS "organisationId", (${domain})::text AS domain,
          ${plainText} AS plain,
          CASE WHEN ${keyOf(sealed)} = ANY (${earlierKeys}::bytea[]) THEN own.${sealed} END AS sealed
        FROM ${table} AS own ${organisation.join}
        WHERE ${where} AND own.${key.name} > ${after}::${type} ORDER BY own.${key.name} LIMIT ${limit}`,
    ),
    /** Skips rows that another transaction has locked, so that no app waits for it and it waits for no app. */
    store: command(
      (rows: readonly Resealed[]) => sql`
        WITH free AS (
          SELECT ${key.name} AS id FROM ${table} WHERE ${key.name} = ANY (${rows.map(({ id }) => id)}::${type}[])
          FOR UPDATE SKIP LOCKED)
        UPDATE ${table} AS own SET ${plain ? sql`${plain} = NULL,` : Prisma.empty} ${sealed} = given.sealed
        FROM ${unnest('given', rows, { [key.type]: ['id'], bytea: ['before', 'sealed'] })} JOIN free USING (id)
        WHERE own.${key.name} = given.id AND own.${sealed} IS NOT DISTINCT FROM given.before`,
    ),
    count: statement(
      { not_sealed: t.int, first_key: t.int, earlier_keys: t.int, unknown_keys: t.int },
      ({ first, earlier }: KeyIds) => sql`
        SELECT count(${plainText})::int AS not_sealed,
          count(*) FILTER (WHERE ${keyOf(sealed)} = ANY (${first}::bytea[]))::int AS first_key,
          count(*) FILTER (WHERE ${keyOf(sealed)} = ANY (${earlier}::bytea[]))::int AS earlier_keys,
          count(*) FILTER (WHERE ${keyOf(sealed)} <> ALL (${[...first, ...earlier]}::bytea[]))::int AS unknown_keys
        FROM ${table} AS own WHERE ${where}`,
    ),
    /** The ids of the keys that are in use, in hex. It has no parameters. */
    keyIds: sql`
      SELECT DISTINCT encode(${keyOf(sealed)}, 'hex') AS id FROM ${table} AS own
      WHERE ${where} AND own.${sealed} IS NOT NULL`,
  };
}

/** The first bytes of a sealed text are the id of its key. */
const keyOf = (sealed: Sql): Sql => sql`substring(own.${sealed} FOR 4)`;
