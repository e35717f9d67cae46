const placeholder = /\{\{\s*(\w+)\s*\}\}/g;
const longest = 480;

export interface OtpTextValues {
  readonly code: string;
  readonly minutes: string;
}

/** Every placeholder at once: what a code holds is never expanded again. */
export const renderOtpText = (text: string, values: OtpTextValues): string =>
  text.replace(placeholder, (whole, name: string) =>
    name === 'code' || name === 'minutes' ? values[name] : whole,
  );

/** What is wrong with a text for OTPs; nothing when it can be used. */
export function otpTextError(text: string): string | undefined {
  const names = [...text.matchAll(placeholder)].map(([, name]) => name);
  const strange = names.find((name) => name !== 'code' && name !== 'minutes');
  if (!names.includes('code')) return 'must contain {{code}}';
  if (strange !== undefined) return `may contain {{code}} and {{minutes}}, not {{${strange}}}`;
  if (text.length > longest) return `may have at most ${longest} characters`;
  return text.includes('\0') ? 'may not contain NUL' : undefined;
}
