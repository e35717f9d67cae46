import { IsString, ValidateBy } from 'class-validator';
import { givenText } from '../validation/given-text.js';
import { MaxLength } from '../validation/max-length.js';
import { callbackUrlError } from './callback-url.js';

const isCallbackUrl = ValidateBy({
  name: 'isUrl',
  validator: {
    validate: (value: unknown) => typeof value === 'string' && callbackUrlError(value) === undefined,
    defaultMessage: (args) => `$property ${callbackUrlError(givenText(args?.value)) ?? 'must be a URL'}`,
  },
});

/** A string that callbacks may be sent to: http or https, and public unless private ones are allowed. */
export const IsCallbackUrl = (): PropertyDecorator => (target, property) => {
  for (const rule of [IsString(), MaxLength(2_048), isCallbackUrl]) rule(target, property);
};
