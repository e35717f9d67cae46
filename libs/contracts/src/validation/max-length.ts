import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

/**
 * In characters as the description and the database count them. class-validator's own rule lets pass what is longer:
 * it does not count the selector that makes an emoji of a heart.
 */
export const MaxLength = (most: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'maxLength',
      constraints: [most],
      validator: {
        validate: (value) =>
          typeof value === 'string' && (value.length <= most || Array.from(value).length <= most),
        defaultMessage: buildMessage(
          (each) => `${each}$property must be shorter than or equal to $constraint1 characters`,
          options,
        ),
      },
    },
    options,
  );
