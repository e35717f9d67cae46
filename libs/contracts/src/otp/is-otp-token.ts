import { Matches, MinLength } from 'class-validator';
import { MaxLength } from '../validation/max-length.js';

/** 4 to 15 visible characters of ASCII. Text, so that leading zeros survive. */
export const IsOtpToken = (): PropertyDecorator => (target, property) => {
  const rules = [
    MinLength(4),
    MaxLength(15),
    Matches(/^[\x21-\x7e]{4,15}$/, { message: '$property must consist of visible ASCII characters' }),
  ];
  for (const rule of rules) rule(target, property);
};
