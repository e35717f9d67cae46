import type { FastifyReply, FastifyRequest } from 'fastify';

const commonStyle = `
body { margin: 12vh auto; max-width: 36rem; padding: 0 1.5rem; font: 1rem/1.6 system-ui, sans-serif; color: #1f2937; background: #fff; }
h1 { font-size: 1.5rem; }
a { color: #1d4ed8; }
@media (prefers-color-scheme: dark) { body { color: #e5e7eb; background: #111827; } a { color: #93c5fd; } }
`;

/** Whether a person opens the URL in a browser, rather than a program. */
export const isBrowser = ({ headers }: FastifyRequest): boolean =>
  (headers.accept ?? '').toLowerCase().includes('text/html');

/** Relative, because a proxy may serve the gateway below a path. */
export const pathToRoot = ({ url }: FastifyRequest): string =>
  '../'.repeat((url.split('?', 1)[0] ?? '').split('/').length - 2) || './';

export const linksToDocs = (root: string): string =>
  `<p><a href="${root}docs">API reference</a> · <a href="${root}docs/guides">Guides</a></p>`;

interface Page {
  readonly title: string;
  /** HTML. Values from outside must be escaped with `escapeHtml`. */
  readonly body: string;
  /** CSS, in addition to that of all pages. */
  readonly style?: string;
}

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text, and values of attributes in quotes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/** Sends a small page for a person. */
export function sendPage(reply: FastifyReply, { status, ...page }: Page & { readonly status: number }): void {
  void reply
    .status(status)
    .headers({ ...pageHeaders, vary: 'Accept' })
    .send(pageText(page));
}

export const pageText = ({ title, body, style = '' }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${commonStyle}${style}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;
