/**
 * The longest name that is read from a request: a number, an id of a sender or an account, a type, a status or a code.
 * No setting needs a longer one. Longer texts are refused before they are trimmed or compared, because one of them can
 * belong to thousands of messages.
 */
const maxNameLength = 256;

export const isTooLong = (name: string | undefined): boolean =>
  name !== undefined && name.length > maxNameLength;
