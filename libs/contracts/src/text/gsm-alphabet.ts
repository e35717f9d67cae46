/** The GSM 03.38 alphabet as expressions that JavaScript and Postgres both read. */
const beyondAscii = '¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ';
const afterSpace = `-_a-~${beyondAscii}€`;

/** `basic`: the default alphabet. `extended`: with the extension, whose characters take two septets. */
export const gsmPatterns = {
  basic: `^[ -Z_a-z\\n\\r${beyondAscii}]*$`,
  extended: `^[ ${afterSpace}\\n\\r\\f]*$`,
} as const;

/** A sender that a phone can show: printable characters, no leading space. */
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

/** The number of septets of a UTF-16 unit in GSM-7; `undefined` if it is not in the alphabet. */
export const countSeptets = (unit: number): number | undefined => septets[unit];
