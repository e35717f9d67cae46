import { sqlFailure, sqlState } from '@gangan/database';

const undefinedTable = '42P01';
const undefinedColumn = '42703';

/** An error in one sentence. */
export function explain(error: unknown): string {
  const state = sqlState(error);
  if (state === undefinedTable || state === undefinedColumn) {
    return 'The database lacks a migration: run `pnpm migrate` first.';
  }
  if (sqlFailure(error) === 'unreachable') {
    return `The database does not answer (${describeError(error)}): check that it runs, and DATABASE_URL.`;
  }
  return describeError(error);
}

/** Node gives no words to a refused connection to several addresses. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
