export type Encoding = 'br' | 'gzip' | 'identity';

/** The shortest of our encodings that an `Accept-Encoding` allows by name. A response without encoding is always allowed. */
export function preferredEncoding(accepted = ''): Encoding {
  const names = new Set<string>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))) names.add(name);
  }
  if (names.has('br')) return 'br';
  return names.has('gzip') ? 'gzip' : 'identity';
}
