import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A regular expression of an operator, in the syntax of RE2, with one group: the value that is looked for. */
export interface Pattern {
  readonly match: string;
}

/** A pattern reads only the beginning of an answer. */
const maxMatched = 4_096;
/** The time grows with the length of the text times the size of the compiled pattern: 0.1 s at most. */
const maxSize = 250;

const compiled = new WeakMap<Pattern, RE2JS>();

export const isPattern = (place: unknown): place is Pattern =>
  typeof place === 'object' && place !== null && 'match' in place && typeof place.match === 'string';

/** Why a pattern cannot be used. It is not quoted. */
export function findPatternFault(pattern: Pattern): string | undefined {
  try {
    const expression = compile(pattern);
    if (expression.groupCount() !== 1) return 'it must have exactly one group';
    return expression.programSize() > maxSize ? 'it is too large' : undefined;
  } catch (error) {
    const reason = error instanceof RE2JSSyntaxException ? error.getDescription() : 'it cannot be compiled';
    return `${reason}; the syntax is that of RE2, without lookaround and backreferences`;
  }
}

/**
 * The group of the first match. It runs in RE2, whose time is linear in the text, so that no answer can block the event
 * loop. `.` also matches a carriage return, so spaces around the value are removed.
 */
export function matchPattern(pattern: Pattern, text: string): string | undefined {
  const found = compile(pattern).exec(text.slice(0, maxMatched)) as (string | undefined)[] | null;
  return found?.[1]?.trim();
}

/** Compiles a pattern once, as long as the settings of its provider are in use. */
function compile(pattern: Pattern): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  const expression = RE2JS.compile(pattern.match);
  compiled.set(pattern, expression);
  return expression;
}
