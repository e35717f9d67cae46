/** What a template's body may leave open. */
export type Substitutions = Readonly<Record<string, string>>;

const placeholder = /\{\{ *([A-Za-z0-9_]+) *\}\}/g;

/** The names of the placeholders, each once, in the order in which they first appear. */
export const placeholdersOf = (body: string): string[] => [
  ...new Set([...body.matchAll(placeholder)].map(([, name = '']) => name)),
];

/** Fills the placeholders in one pass, so that what is filled in is never expanded again. Others stay as they are. */
export const render = (body: string, substitutions: Substitutions): string =>
  body.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(substitutions, name) ? (substitutions[name] ?? whole) : whole,
  );
