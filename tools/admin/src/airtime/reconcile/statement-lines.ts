import { parseTimestamp } from '@gangan/contracts';
import { parsePrice } from '@gangan/providers';
import { CsvColumns, type CsvRecord } from '../../reconcile/csv-records.js';
import { CommandError } from '../../session/errors.js';

/** What a statement says about a top-up. `pending`: it has no outcome there yet. */
export type StatementState = 'charged' | 'failed' | 'pending';

/** A line of a statement. Texts are empty if the statement does not have them. */
export interface StatementLine {
  readonly line: number;
  /** Ours. */
  readonly reference: string;
  readonly providerReference: string;
  /** The face value in millionths of a naira; `null` if it is in another currency. */
  readonly micros: bigint | null;
  readonly state: StatementState;
  /** As the statement has it. */
  readonly status: string;
  readonly at: Date | undefined;
}

/** A line that cannot be compared. */
export interface UnreadableLine extends Pick<StatementLine, 'line' | 'reference' | 'providerReference'> {
  readonly fault: string;
}

const states: Readonly<Record<StatementState, readonly string[]>> = {
  charged: ['delivered', 'success', 'successful', 'successfull', 'completed', 'complete', 'paid'],
  failed: ['failed', 'failure', 'reversed', 'reversal', 'refunded', 'rejected', 'cancelled', 'canceled'],
  pending: ['pending', 'processing', 'initiated', 'sent', 'queued', 'pendingconfirmation'],
};

/** @returns undefined for a status that is not known */
export function stateOf(status: string): StatementState | undefined {
  const name = status.toLowerCase().replaceAll(/[^a-z]/g, '');
  return (Object.keys(states) as StatementState[]).find((state) => states[state].includes(name));
}

/** The names of columns. What VTpass calls request id is ours; that of Africa's Talking is theirs. */
const references: Readonly<Record<string, { ours: readonly string[]; theirs: readonly string[] }>> = {
  vtpass: { ours: ['request_id', 'reference'], theirs: ['transaction_id'] },
  reloadly: { ours: ['custom_identifier', 'reference'], theirs: ['transaction_id'] },
  africastalking: { ours: ['idempotency_key', 'reference'], theirs: ['request_id', 'transaction_id'] },
};
const others = {
  amount: ['amount', 'value', 'delivered_amount', 'requested_amount'],
  status: ['status', 'transaction_status', 'state'],
  at: ['transaction_date', 'date', 'created_at', 'time', 'timestamp'],
};

/**
 * Reads a statement of a kind of provider. Without a column for the status, every line was charged.
 * @throws CommandError if a column is missing
 */
export async function* readStatement(
  records: AsyncIterable<CsvRecord>,
  kind: string,
): AsyncGenerator<StatementLine | UnreadableLine> {
  let places: Places | undefined;
  for await (const { line, cells } of records) {
    if (places) yield readLine(line, cells, places);
    else places = findPlaces(new CsvColumns(cells), kind);
  }
  if (!places) throw new CommandError('The statement is empty: its first line must name the columns.');
}

type Places = Readonly<Record<'ours' | 'theirs' | 'amount' | 'status' | 'at', number>>;

function findPlaces(columns: CsvColumns, kind: string): Places {
  const { ours, theirs } = references[kind] ?? { ours: ['reference'], theirs: ['transaction_id'] };
  const places = { ours: columns.find(...ours), theirs: columns.find(...theirs) };
  if (places.ours === -1 && places.theirs === -1) columns.get(...ours, ...theirs);
  return {
    ...places,
    amount: columns.get(...others.amount),
    status: columns.find(...others.status),
    at: columns.find(...others.at),
  };
}

function readLine(line: number, cells: readonly string[], places: Places): StatementLine | UnreadableLine {
  const cell = (place: number): string => (cells[place] ?? '').trim();
  const [reference, providerReference, status] = [
    cell(places.ours),
    cell(places.theirs),
    cell(places.status),
  ];
  const shown = { line, reference, providerReference };
  if (reference === '' && providerReference === '') return { ...shown, fault: 'it has no reference' };
  const amount = cell(places.amount);
  const price = parsePrice(amount.replaceAll(/[₦,]/g, ''), 'NGN');
  if (!price) return { ...shown, fault: `the amount "${amount}" is not a number` };
  const state = places.status === -1 ? 'charged' : stateOf(status);
  if (!state) return { ...shown, fault: `the status "${status}" is not known` };
  const micros = price.currency === 'NGN' ? price.micros : null;
  const at = parseTimestamp(cell(places.at).replace(' ', 'T'));
  return { line, reference, providerReference, micros, state, status, at };
}
