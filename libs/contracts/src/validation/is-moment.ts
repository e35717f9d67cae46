import { buildMessage, ValidateBy } from 'class-validator';
import { parseTimestamp } from '../timestamp.js';

/** A day or a moment, as people write it. The value stays as it was given; `parseTimestamp` understands it. */
export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isIso8601',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseTimestamp(value) !== undefined,
      defaultMessage: buildMessage(
        () => '$property must be a day such as 2026-11-15, or a time such as 2026-11-15T09:30:00+01:00',
      ),
    },
  });
