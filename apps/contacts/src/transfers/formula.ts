/**
 * Spreadsheets take a cell that begins so for a formula, and run it: whoever fills in a form could reach into the
 * machine of whoever opens the export. An apostrophe before it makes it text. Here it is put before all that begins so,
 * apostrophes or not, and an import takes one off again: nothing is lost on the way out and back.
 */
const begins = "'*[=+\\-@\\t\\r\\n＝＋－＠]";
const formula = new RegExp(`^${begins}`);
const disarmed = new RegExp(`^'${begins}`);

export const disarm = (text: string): string => (formula.test(text) ? `'${text}` : text);

export const rearm = (text: string): string => (disarmed.test(text) ? text.slice(1) : text);
