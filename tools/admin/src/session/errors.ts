import { sqlFailure, sqlState } from '@gangan/database';
import { Refusal } from '@gangan/management';
import { describeError } from '@gangan/protocol';
import { nextSteps } from './next-steps.js';

/** Why a command was not carried out, and what to do; printed without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Keys that are read or derived from variables. @throws CommandError if they cannot be used */
export function usable<T>(keys: () => T): T {
  try {
    return keys();
  } catch (cause) {
    throw new CommandError(`${describeFailure(cause)}.`, { cause });
  }
}

/** SQLSTATEs and codes of Prisma. */
const missingTableOrColumn = ['42P01', '42703', 'P2021', 'P2022'];

/** Any error in one sentence. */
export function describeFailure(error: unknown): string {
  if (error instanceof Refusal)
    return error.message + (error.next ? nextSteps[error.next].replaceAll('{subject}', error.subject) : '');
  const code = sqlState(error) ?? (error as { code?: unknown } | undefined)?.code;
  if (missingTableOrColumn.includes(String(code)))
    return 'The database lacks a migration: run `pnpm migrate` first.';
  if (sqlFailure(error) === 'unreachable')
    return `The database does not answer (${reasonOf(error)}): check that it runs, and DATABASE_URL.`;
  return reasonOf(error);
}

/** The last line: Prisma names the call first and the reason last. */
const reasonOf = (error: unknown): string => describeError(error).trim().split('\n').at(-1) ?? '';
