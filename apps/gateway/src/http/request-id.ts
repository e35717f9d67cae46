import { newId } from '@gangan/protocol';

/** What may stand in a log line and in a header without harm. */
const sane = /^[\w.:/+=@-]{1,128}$/;

/** The caller's own `X-Request-Id` if it can be used, else a new one. */
export const requestIdOf = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && sane.test(given) ? given : newId();
