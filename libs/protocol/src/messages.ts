/** The message of an error. Node gives an AggregateError of refused connections no message of its own. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** Matches only if every `@` belongs to the user information: elsewhere the text around it may be a secret. */
const hostAndPath = /^[a-z-]+:\/\/(?:[^/?#]*@|(?!.*@))([^/?#@]+(?:\/[^?#@]*)?)(?:[?#]|$)/;

/** The hosts and the path of a database or broker URL, without user, password and query. Safe to log. */
export const redactUrl = (url: string): string =>
  hostAndPath.exec(url)?.[1] ?? 'an address that cannot be read';
