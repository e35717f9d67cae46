/** What a template's body may leave open. */
export type Substitutions = Readonly<Record<string, string>>;

const placeholder = /\{\{ *([A-Za-z0-9_]+) *\}\}/g;

/** The names of the placeholders, each once, in the order in which they first appear. */
export const placeholdersOf = (body: string): string[] => [
  ...new Set([...body.matchAll(placeholder)].map(([, name = '']) => name)),
];

/** How long the filled text would be, without making it: a short body may name a long text hundreds of times. */
export function renderedLength(body: string, substitutions: Substitutions): number {
  let length = body.length;
  for (const [whole, name = ''] of body.matchAll(placeholder)) {
    length += (valueOf(substitutions, name) ?? whole).length - whole.length;
  }
  return length;
}

/** Fills the placeholders in one pass, so that what is filled in is never expanded again. Others stay as they are. */
export const render = (body: string, substitutions: Substitutions): string =>
  body.replace(placeholder, (whole, name: string) => valueOf(substitutions, name) ?? whole);

/** What is filled in, and nothing that objects have from birth. */
export const valueOf = (substitutions: Substitutions, name: string): string | undefined =>
  Object.hasOwn(substitutions, name) ? substitutions[name] : undefined;
