/** The default alphabet of GSM 03.38. */
const basic =
  '\n\r !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz' +
  '¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ';

/** Its extension: each costs an escape besides. */
const extension = '\f[\\]^{|}~€';

const septets = new Map<number, number>([
  ...Array.from(basic, (character) => [character.charCodeAt(0), 1] as const),
  ...Array.from(extension, (character) => [character.charCodeAt(0), 2] as const),
]);

/** How much of a GSM-7 text this UTF-16 unit takes; `undefined` when it is not in the alphabet. */
export const septetsOf = (unit: number): number | undefined => septets.get(unit);
