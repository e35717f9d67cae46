/** Phone numbers, OTPs and other numbers of persons; the last digits of long ones stay, to tell them apart. */
const numbers = /\d{4,}/g;
const maxLength = 4_096;

/** What an operator may see of a request: without secrets, and without numbers that could be of a person. */
export function maskContent(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const withoutSecrets = forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
  return withoutSecrets
    .slice(0, maxLength)
    .replaceAll(numbers, (digits) => (digits.length < 8 ? '…' : `…${digits.slice(-2)}`))
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}
