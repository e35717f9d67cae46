/** The values of placeholders, by name. */
export type Substitutions = Readonly<Record<string, string>>;

const placeholder = /\{\{ *([A-Za-z0-9_]+) *\}\}/g;

/** The names of the placeholders, without duplicates, in order of appearance. */
export const placeholdersOf = (body: string): string[] => [
  ...new Set([...body.matchAll(placeholder)].map(([, name = '']) => name)),
];

/** The length of the rendered text, without rendering it: a short body can repeat a long value hundreds of times. */
export function renderedLength(body: string, substitutions: Substitutions): number {
  let length = body.length;
  for (const [whole, name = ''] of body.matchAll(placeholder)) {
    length += (valueOf(substitutions, name) ?? whole).length - whole.length;
  }
  return length;
}

/** Replaces placeholders in one pass, so that values are never expanded. Placeholders without a value stay. */
export const render = (body: string, substitutions: Substitutions): string =>
  body.replace(placeholder, (whole, name: string) => valueOf(substitutions, name) ?? whole);

/** Ignores inherited properties such as `constructor`. */
export const valueOf = (substitutions: Substitutions, name: string): string | undefined =>
  Object.hasOwn(substitutions, name) ? substitutions[name] : undefined;
