import { IsString } from 'class-validator';
import { combine, MaxLength, rule, textOrEmpty } from '../validation/fields/decorators.js';

const maxTemplateLength = 1_600;

const placeholder = /\{\{ *(\w+) *\}\}/g;
/** The maximum number of wrong braces that are reported. */
const maxNamed = 10;

/** A brace must be part of a `{{placeholder}}`: a single brace is probably a typo that every recipient would see. */
export const templatePattern = /^(?:[^{}]|\{\{ *\w+ *\}\})*$/;

/** Returns what is wrong with the placeholders of a text; `undefined` if they are valid. */
export function placeholderError(body: string): string | undefined {
  const rest = body.replace(placeholder, (found) => ' '.repeat(found.length));
  // Adjacent braces are one mistake.
  const places = [...rest.matchAll(/[{}]+/g)].map(({ index }) => index + 1);
  if (places.length === 0) return undefined;
  const named = places.slice(0, maxNamed).join(', ') + (places.length > maxNamed ? ', …' : '');
  const found =
    places.length === 1 ? `a brace at character ${named} that is` : `braces at characters ${named} that are`;
  return `has ${found} not part of a placeholder: write {{name}}, with letters, digits and underscores`;
}

export const placeholderNames = (body: string): ReadonlySet<string> =>
  new Set([...body.matchAll(placeholder)].map(([, name = '']) => name));

const isTemplateBody = rule(
  'isTemplateBody',
  (value) => typeof value === 'string' && placeholderError(value) === undefined,
  (value) => placeholderError(textOrEmpty(value)) ?? 'must be a text',
  { independent: true, schema: { type: 'string', pattern: templatePattern.source } },
);

/** A text with placeholders such as `{{name}}`. */
export const IsTemplateBody = (): PropertyDecorator =>
  combine(IsString(), MaxLength(maxTemplateLength), isTemplateBody());
