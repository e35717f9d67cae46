/** The beginning of a text that its caller chose, to be shown to them. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
