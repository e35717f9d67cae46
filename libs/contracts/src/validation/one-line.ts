import { Matches } from 'class-validator';

// eslint-disable-next-line no-control-regex -- They are what it is about.
const withoutControls = /^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$/;

/** For names and references, which stand in lists, tables and logs. */
export const OneLine = (): PropertyDecorator =>
  Matches(withoutControls, { message: '$property must not hold line breaks or other control characters' });
