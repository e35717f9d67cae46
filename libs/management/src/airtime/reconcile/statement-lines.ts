import { parseTimestamp } from '@gangan/contracts';
import { parsePrice } from '@gangan/providers';

const states = {
  charged: ['delivered', 'success', 'successful', 'successfull', 'completed', 'complete', 'paid'],
  failed: ['failed', 'failure', 'reversed', 'reversal', 'refunded', 'rejected', 'cancelled', 'canceled'],
  /** It has no outcome there yet. */
  pending: ['pending', 'processing', 'initiated', 'sent', 'queued', 'pendingconfirmation'],
} as const;

/** What a statement says about a top-up. */
export type StatementState = keyof typeof states;

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

/** The line, or its fault if its status is not known. */
export function withState(line: Omit<StatementLine, 'state'>): StatementLine | UnreadableLine {
  const name = line.status.toLowerCase().replaceAll(/[^a-z]/g, '');
  const state = (Object.keys(states) as StatementState[]).find((own) =>
    (states[own] as readonly string[]).includes(name),
  );
  const { reference, providerReference, status } = line;
  if (state) return { ...line, state };
  return { line: line.line, reference, providerReference, fault: `the status "${status}" is not known` };
}

/** The cells of a line of a file, without spaces around them; undefined for a column that the file does not have. */
export interface StatementCells {
  readonly line: number;
  readonly ours?: string;
  readonly theirs?: string;
  readonly amount?: string;
  readonly status?: string;
  readonly at?: string;
}

/** What VTpass calls request id is ours; that of Africa's Talking is theirs. */
const references: Readonly<Record<string, { ours: readonly string[]; theirs: readonly string[] }>> = {
  vtpass: { ours: ['request_id', 'reference'], theirs: ['transaction_id'] },
  reloadly: { ours: ['custom_identifier', 'reference'], theirs: ['transaction_id'] },
  africastalking: { ours: ['idempotency_key', 'reference'], theirs: ['request_id', 'transaction_id'] },
};

/** The names that the columns of a file may have, by the kind of the provider. */
export const statementColumns = (kind: string) => ({
  ...(references[kind] ?? { ours: ['reference'], theirs: ['transaction_id'] }),
  amount: ['amount', 'value', 'delivered_amount', 'requested_amount'],
  status: ['status', 'transaction_status', 'state'],
  at: ['transaction_date', 'date', 'created_at', 'time', 'timestamp'],
});

/** Without a column for the status, every line was charged. */
export function readStatementLine(cells: StatementCells): StatementLine | UnreadableLine {
  const { line, ours: reference = '', theirs: providerReference = '', amount = '', status } = cells;
  const shown = { line, reference, providerReference };
  if (reference === '' && providerReference === '') return { ...shown, fault: 'it has no reference' };
  const price = parsePrice(amount.replaceAll(/[₦,]/g, ''), 'NGN');
  if (!price) return { ...shown, fault: `the amount "${amount}" is not a number` };
  const micros = price.currency === 'NGN' ? price.micros : null;
  const at = parseTimestamp(cells.at?.replace(' ', 'T') ?? '');
  const read = { ...shown, micros, status: status ?? '', at };
  return status === undefined ? { ...read, state: 'charged' } : withState(read);
}
