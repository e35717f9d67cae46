import { type ContactColumnType, hasOptions } from '@gangan/contracts';
import type { AppError } from '@gangan/protocol';
import { badOptions } from '../contacts.errors.js';

/** Why these cannot be the options of a column of this type. */
export function optionsFault(
  type: ContactColumnType,
  options: readonly string[] | undefined,
): AppError | undefined {
  if (!hasOptions(type))
    return options === undefined || options.length === 0
      ? undefined
      : badOptions('are for SELECT and MULTI SELECT columns only');
  if (options === undefined || options.length === 0) return badOptions('is required', 'missing');
  if (new Set(options).size < options.length) return badOptions('must differ from each other');
  return undefined;
}
