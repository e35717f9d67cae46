import { object } from '../http/schema.js';

/** How a provider counts the pages of some texts. */
export interface PageRule {
  /** The rule is for texts that have one of these characters; absent: for all texts. */
  readonly characters?: string;
  /** How many characters (units of UTF-16) the only page of a text has. */
  readonly single: number;
  /** How many each of several pages has; absent: as many. */
  readonly multiple?: number;
}

const size = { type: 'integer', minimum: 1, maximum: 1_600 };

export const pageRulesSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 10,
  items: object(['single'], {
    characters: { type: 'string', minLength: 1, maxLength: 200 },
    single: size,
    multiple: size,
  }),
};

/** @param pages as we count them: a provider never counts less, because the text does not fit into fewer */
export type CountPages = (text: string, pages: number) => number;

/** Counts by the first rule that is for the text, or else as we do. Undefined without rules. */
export function pageCounter(rules: readonly PageRule[] = []): CountPages | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map(({ characters, single, multiple = single }) => ({
    single,
    multiple,
    isFor: characters === undefined ? /^/ : anyOf(characters),
  }));
  return (text, pages) => {
    const rule = compiled.find(({ isFor }) => isFor.test(text));
    if (!rule) return pages;
    return Math.max(pages, text.length <= rule.single ? 1 : Math.ceil(text.length / rule.multiple));
  };
}

/** Counts each text once, for many messages with few texts. */
export function oncePerText(count: CountPages): CountPages {
  const counted = new Map<string, number>();
  return (text, pages) => {
    const known = counted.get(text) ?? count(text, pages);
    counted.set(text, known);
    return known;
  };
}

const anyOf = (characters: string): RegExp =>
  new RegExp(`[${characters.replaceAll(/[\\\]^-]/g, String.raw`\$&`)}]`, 'u');
