import { ValidateBy, buildMessage } from 'class-validator';

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');

/** Present, not null and not blank. */
export const Required = (): PropertyDecorator =>
  ValidateBy({
    name: 'required',
    validator: { validate: isGiven, defaultMessage: buildMessage(() => '$property is required') },
  });
