/** The alphabet of GSM 03.38, written as expressions that JavaScript and Postgres read alike. */
const beyondAscii = '¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ';
const afterSpace = `-_a-~${beyondAscii}€`;

/** A text of its default alphabet alone, and one of its extension as well, of which each character costs an escape. */
export const gsmPatterns = {
  basic: `^[ -Z_a-z\\n\\r${beyondAscii}]*$`,
  extended: `^[ ${afterSpace}\\n\\r\\f]*$`,
} as const;

/** What a phone can show as a sender: printable characters, not beginning with a space. */
export const senderPattern = new RegExp(`^[!${afterSpace}][ ${afterSpace}]{0,10}$`);

export const isSender = (text: string): boolean => senderPattern.test(text);

const isBasic = new RegExp(gsmPatterns.basic);
const isExtended = new RegExp(gsmPatterns.extended);
const lastUnit = '€'.charCodeAt(0);

const septets = Array.from({ length: lastUnit + 1 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (isBasic.test(character)) return 1;
  return isExtended.test(character) ? 2 : undefined;
});

/** How much of a GSM-7 text this UTF-16 unit takes; `undefined` when it is not in the alphabet. */
export const septetsOf = (unit: number): number | undefined => septets[unit];
