import { parseTimestamp } from '@gangan/contracts';
import { InvalidArgumentError } from 'commander';
import { duration } from '../session/arguments.js';

/** A moment gone by: so long ago, or a day or time as people write it, in UTC unless it says otherwise. */
export function pastMoment(text: string): Date {
  const at = /^\d+[mhdw]$/.test(text) ? new Date(Date.now() - duration(text)) : parseTimestamp(text);
  if (!at) {
    throw new InvalidArgumentError(
      'Write how long ago, such as 6h, or a time such as 2026-11-15 or 2026-11-15T09:30:00+01:00.',
    );
  }
  if (at.getTime() > Date.now()) throw new InvalidArgumentError('That is in the future.');
  return at;
}
