import { type Sql, sql, type Statements } from '@gangan/database';
import { distinct, type Member, organisationsOf, type Subject } from './members.js';
import { movement, type Route, type Row } from './movement.js';

/** A transaction, or the `Database` itself where one statement is all there is to do. */
export type Ledger = Pick<Statements, 'query'>;

const mostRounds = 3;
const nothing = sql``;

/**
 * Moves the money of many members in one statement. Where its snapshot was too old to decide, it is run again and then
 * sees what was committed while it waited: for a member whose twin was committed; and for those who found too little
 * left when that twin may have taken it, or was counted although it had paid.
 */
export async function move<M extends Subject>(
  ledger: Ledger,
  route: Route,
  members: readonly M[],
  givenOf: (members: readonly M[]) => Sql,
  alongside: Sql = nothing,
): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>();
  let open = distinct(members);
  for (let round = 1; open.length > 0; round += 1) {
    if (round > mostRounds) throw new Error(`The ledger could not settle ${open.length} transactions`);
    const statement = movement(route, organisationsOf(open), givenOf(open), alongside);
    for (const row of await ledger.query<Row>(statement)) rows.set(row.subjectId, row);
    refuseNowhere(open, rows);
    open = undecided(open, rows, round);
  }
  return rows;
}

function undecided<M extends Subject>(
  members: readonly M[],
  rows: ReadonlyMap<string, Row>,
  round: number,
): M[] {
  const are = (test: (row: Row) => boolean) =>
    members.filter(({ subjectId }) => {
      const row = rows.get(subjectId);
      return row !== undefined && test(row);
    });
  const twins = are(({ outcome }) => outcome === 'unseen').length > 0;
  // Whose twin was not there when a second statement began came before it, and rightly found too little.
  return are(
    ({ outcome, stale }) =>
      outcome === 'unseen' || (outcome === 'short' && (twins || (stale && round === 1))),
  );
}

function refuseNowhere(members: readonly Subject[], rows: ReadonlyMap<string, Row>): void {
  const lost = members.find(({ subjectId }) => rows.get(subjectId)?.outcome === 'nowhere');
  if (lost) throw new Error(`Organisation ${lost.organisationId} has no ledger accounts`);
}

/** Members who bring their own amount. */
export function givenAmounts(members: readonly Member[]): Sql {
  const negative = members.find(({ kobo }) => kobo < 0n);
  if (negative) throw new RangeError(`${negative.subjectId} would move ${negative.kobo} kobo`);
  return sql`
    SELECT place, subject_id, organisation_id, kobo, note
    FROM unnest(${members.map(({ subjectId }) => subjectId)}::uuid[],
      ${members.map(({ organisationId }) => organisationId)}::uuid[],
      ${members.map(({ kobo }) => kobo)}::bigint[],
      ${members.map(({ note }) => note ?? null)}::text[])
      WITH ORDINALITY AS asked (subject_id, organisation_id, kobo, note, place)`;
}
