import { erasedNumber } from '@gangan/contracts';
import { command, Prisma, type Sql, sql } from '@gangan/database';
import { noPatterns } from '../search/number-pattern.js';
import { isNumber, type Scope } from '../search/scope.js';
import { findIn, type Source } from './source.js';
import { anyOf, inFile, inText } from '../search/text-search.js';

/** Rows that are read to find a number in their text. */
const textLimit = 2_000;
const rowLimit = 500;
/** Each may have a large file. */
const fileLimit = 5;

const inOrganisation = ({ organisationId }: Scope): Sql => sql`organisation_id = ${organisationId}::uuid`;

const inTable = ({ organisationId }: Scope): Sql =>
  sql`table_id = (SELECT id FROM contact_table WHERE organisation_id = ${organisationId}::uuid)`;

interface Deleted {
  readonly limit?: number;
  readonly key?: string;
  readonly type?: 'uuid' | 'text';
  readonly where: (scope: Scope) => Sql;
  readonly hit?: (scope: Scope) => Sql;
}

/** A table whose rows are deleted, with those that depend on them. */
function deleted(table: string, { limit = rowLimit, ...finding }: Deleted): Source {
  const { key = 'id', type = 'uuid' } = finding;
  const remove = command(
    (organisationId: string, ids: readonly string[]) => sql`
      DELETE FROM ${Prisma.raw(table)} WHERE ${finding.where({ organisationId, phone: null, patterns: noPatterns })}
        AND ${Prisma.raw(key)} = ANY (${ids}::${Prisma.raw(type)}[])`,
    { samples: [['00000000-0000-0000-0000-000000000000', []]] },
  );
  return {
    table,
    limit,
    find: findIn(table, finding),
    erase: (transaction, { organisationId }, ids) => transaction.run(remove, organisationId, ids),
  };
}

const ofNumber =
  (column: string) =>
  (scope: Scope): Sql =>
    scope.phone === null
      ? inOrganisation(scope)
      : sql`${inOrganisation(scope)} AND ${isNumber(column, scope)}`;

/** Callbacks about the number, and those about a message to this number alone that mention it. */
export const callbacks = deleted('callback', {
  limit: textLimit,
  where: inOrganisation,
  hit: anyOf(
    ({
      patterns: { exact },
    }) => sql`coalesce(coalesce(body::json #>> '{data,recipient}', body::json #>> '{data,sender}',
      body::json #>> '{data,phone}') ~ ${exact}, false)`,
    (scope) => sql`(${inText('body')(scope)} AND EXISTS (
      SELECT FROM message WHERE id = own.resource_id AND recipients <> '{}' AND ${erasedNumber} = ALL (recipients)))`,
  ),
});

export const incomingMessages = deleted('incoming_message', { where: ofNumber('sender') });
export const outboxMessages = deleted('outbox_message', { where: ofNumber('recipient') });
export const helpAnswers = deleted('help_answer', { where: ofNumber('phone') });
export const windows = deleted('whatsapp_window', {
  key: `(phone || ' ' || provider)`,
  type: 'text',
  where: ofNumber('phone'),
});

/** They serve the person: a number that has opted out stays suppressed. */
export const optOuts = deleted('opt_out', { where: ofNumber('phone') });
export const keywords = deleted('last_keyword', {
  key: `(phone || ' ' || channel::text)`,
  type: 'text',
  where: ofNumber('phone'),
});

export const lookupBatches = deleted('lookup_batch', {
  limit: fileLimit,
  where: (scope) => sql`${inOrganisation(scope)} AND ended_at IS NOT NULL`,
  hit: anyOf(inFile('lookup_batch_part', 'batch_id')),
});

const ended = (scope: Scope): Sql => sql`${inTable(scope)} AND ended_at IS NOT NULL`;

export const contactImports = deleted('contact_import', {
  limit: fileLimit,
  where: ended,
  hit: anyOf(
    inText('problems::text'),
    inFile('contact_rejected_part', 'import_id'),
    inFile('contact_import_part', 'import_id'),
  ),
});

export const contactExports = deleted('contact_export', {
  limit: fileLimit,
  where: ended,
  hit: anyOf(inText('filters::text'), inFile('contact_export_part', 'export_id')),
});

/** Their filters are stored as a digest only, and their pages may end with a number. */
export const contactScrolls = deleted('contact_scroll', {
  where: inTable,
  hit: anyOf(
    (scope) => sql`EXISTS (SELECT FROM contact_scroll_page AS page
      WHERE page.scroll_id = own.id AND ${inText('page.last_key')(scope)})`,
  ),
});

/** Of an organisation that is erased. The list of all contacts, which every table has, stays. */
export const smartlists = deleted('smartlist', { where: (scope) => sql`${inTable(scope)} AND NOT everyone` });
