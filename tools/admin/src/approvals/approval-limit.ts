import { parseNaira } from '@gangan/billing';
import { CommandError } from '../session/errors.js';
import type { Settings } from '../session/stores.js';

const defaultNaira = '1000000';

/**
 * The kobo per organisation and 24 hours that one person may book; `undefined` is no limit.
 * @throws CommandError if the variable is invalid, so that a typo does not switch approvals off
 */
export function approvalLimitOf({ approvalAboveNaira: given = defaultNaira }: Settings): bigint | undefined {
  if (given === 'off') return undefined;
  const kobo = parseNaira(given);
  if (kobo !== undefined && kobo >= 0n) return kobo;
  throw new CommandError(
    `APPROVAL_ABOVE_NAIRA is "${given}": use an amount such as ${defaultNaira}, or off.`,
  );
}
