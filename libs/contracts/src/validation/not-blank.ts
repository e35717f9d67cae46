import { buildMessage, ValidateBy } from 'class-validator';

/** For what need not be there, but says something if it is. */
export const NotBlank = (): PropertyDecorator =>
  ValidateBy({
    name: 'notBlank',
    validator: {
      validate: (value) => typeof value !== 'string' || /\S/.test(value),
      defaultMessage: buildMessage(() => '$property must not be blank'),
    },
  });
