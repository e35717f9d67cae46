/** A URL without its secrets: host, port and database. */
export const placeOf = (url: string): string => url.replace(/^[^:]*:\/\/([^/?]*@)?/, '').replace(/\?.*$/, '');
