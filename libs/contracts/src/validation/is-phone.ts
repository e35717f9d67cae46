import { ValidateBy, buildMessage } from 'class-validator';
import { parsePhone } from '../phone-number.js';

/** One phone number, as people write it. The value stays as it was given; `parsePhone` understands it. */
export const IsPhone = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPhone',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parsePhone(value) !== undefined,
      defaultMessage: buildMessage(() => '$property must be a phone number such as +2348031234567'),
    },
  });
