/** Phone numbers, OTPs and other personal numbers. The last digits of long ones are kept, to tell them apart. */
const numbers = /\d{4,}/g;
const maxLength = 4_096;

/** A request as operators see it: without secrets and personal numbers. */
export function maskContent(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const withoutSecrets = forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
  return withoutSecrets
    .slice(0, maxLength)
    .replaceAll(numbers, (digits) => (digits.length < 8 ? '…' : `…${digits.slice(-2)}`))
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}
