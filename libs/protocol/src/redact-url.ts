/**
 * A URL without its secrets: its hosts and its path. With an `@` where none belongs, a secret may be anywhere in it.
 */
const place = /^[a-z-]+:\/\/(?:[^/?#]*@|(?!.*@))([^/?#@]+(?:\/[^?#@]*)?)(?:[?#]|$)/;

/** Where a database or a broker is, in words that may be shown. */
export const redactUrl = (url: string): string => place.exec(url)?.[1] ?? 'an address that cannot be read';
