export type Mask = (text: string) => string;

const minSecretLength = 4;

/** Replaces secrets, also as they are written in a URL, a form or JSON (PHP escapes slashes there). */
export function maskOf(secrets: readonly string[]): Mask {
  const forms = secrets
    .filter((secret) => secret.length >= minSecretLength)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      new URLSearchParams({ s: secret }).toString().slice(2),
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(secret)
        .slice(1, -1)
        .replaceAll('/', String.raw`\/`),
    ])
    .toSorted((one, other) => other.length - one.length);
  return (text) => forms.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}
