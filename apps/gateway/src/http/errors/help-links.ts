import { errorTypes, type FieldError } from '@gangan/protocol';

declare module 'fastify' {
  interface FastifyInstance {
    /** The path of PUBLIC_URL: a proxy may serve the gateway below a path. Empty if there is none. */
    publicPath: string;
  }
}

/** The page made of docs/use/errors.md. Its lines have the types, or for errors without one the status, as ids. */
const page = '/docs/guides/errors';
/** A response rarely has more types. */
const maxLinks = 5;
const known: ReadonlySet<string> = new Set(errorTypes);

/** The `Link` header of an error response: it leads to the explanation of its types. */
export function helpLinks(status: number, fields: readonly FieldError[], publicPath = ''): string {
  // A worker of a later version may know further types.
  const types = [...new Set(fields.map(({ type }) => type))].filter((type) => known.has(type));
  const lines = types.length > 0 ? types.slice(0, maxLinks) : [status];
  return lines.map((line) => `<${publicPath}${page}#${line}>; rel="help"`).join(', ');
}
