/**
 * A spreadsheet runs a cell that starts like this as a formula, so a contact could attack the person who opens the export.
 * An apostrophe in front makes it text. An export adds one to every such cell, also to those that start with apostrophes;
 * an import removes one. So cells survive an export and an import unchanged.
 */
const start = "'*[=+\\-@\\t\\r\\n＝＋－＠]";
const formula = new RegExp(`^${start}`);
const escaped = new RegExp(`^'${start}`);

export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

export const unescapeFormula = (text: string): string => (escaped.test(text) ? text.slice(1) : text);
