import { createHash } from 'node:crypto';

const style = `
body { margin: 0; }
:root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }
/* Without it, a long line of an example moves the button "Send" out of a narrow window. */
.scalar-client main > * { min-width: 0; }
/* The statuses of a response have a line of their own: there are too many for the line of "Show Schema". */
#docs .response-card .scalar-card-header { flex-wrap: wrap; }
#docs .response-card .scalar-card-header-title { flex-basis: 100%; }
#docs .response-card .scalar-card-header-title + * { padding-left: 0.75rem; }
#docs .response-card .tab-list { flex-wrap: wrap; }
#live-key {
  position: fixed; inset: auto 0 0; z-index: 100000; margin: 0; padding: 0.6rem 1rem;
  font: 600 0.95rem/1.4 system-ui, sans-serif; text-align: center; color: #fff; background: #b91c1c;
}
noscript { font-family: system-ui, sans-serif; }
`;

/**
 * Prepares the document for trying: nothing is filled in that makes a request fail or a list empty. The example of a
 * parameter moves to its description, and the body of a GET, which browsers do not send, is left out. The key stays in the
 * tab.
 */
const script = `
const keyName = 'gangan-key';
const { dataset } = document.currentScript;
const warning = document.getElementById('live-key');
/** A key that is shown is not in an input. */
const isLive = ({ value, textContent }) => (value ?? textContent).trim().startsWith('sk_live_');
/** Warns of a live key, and replaces the placeholder of the reference, which is a text in base64. */
const watchKeys = () => {
  for (const input of document.querySelectorAll('input.scalar-password-input')) input.placeholder = 'sk_test_…';
  warning.hidden = ![...document.querySelectorAll('input, [contenteditable]')].some(isLive);
};
document.addEventListener('input', watchKeys);
new MutationObserver(watchKeys).observe(document.body, { childList: true, subtree: true });
/** In a narrow window, the response is below the request. It is shown a moment after it arrives. */
const showResponse = () => {
  const response = document.querySelector('.scalar-client .response-section-content')?.closest('section');
  if (response && response.getBoundingClientRect().top > innerHeight / 2) response.scrollIntoView({ behavior: 'smooth' });
};
const withoutExample = ({ example, ...parameter }) =>
  example === undefined ? parameter : { ...parameter, description: parameter.description + '. Example: \`' + example + '\`' };
/** A parameter that a GET needs here or in the body. */
const fromBody = (schemas, requestBody) => (parameter) => {
  const { properties = {}, required = [] } = schemas[requestBody.content['application/json'].schema.$ref?.split('/').pop()] ?? {};
  return required.includes(parameter.name)
    ? { ...parameter, required: true, example: properties[parameter.name].examples?.[0] }
    : parameter;
};
const prepare = (schemas) => (method, operation) => {
  if (!operation.operationId) return operation;
  const { requestBody, parameters, ...rest } = operation;
  return {
    ...rest,
    ...(parameters && { parameters: parameters.map(method === 'get' && requestBody ? fromBody(schemas, requestBody) : withoutExample) }),
    ...(method !== 'get' && requestBody && { requestBody }),
  };
};
const mapValues = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]));
fetch(dataset.document).then((response) => response.text()).then((text) => {
  const base = new URL('.', new URL(dataset.document, location)).href.replace(/\\/$/, '');
  // Links and samples stay at the address of this page.
  const publicUrl = JSON.parse(text).externalDocs.url.replace(/\\/docs\\/guides$/, '');
  const document = JSON.parse(text.replaceAll(publicUrl + '/', base + '/').replaceAll("'" + publicUrl + "'", "'" + base + "'"));
  const { paths, components } = document;
  Scalar.createApiReference('#docs', {
    content: {
      ...document,
      servers: [{ url: base, description: 'The address of this page' }],
      paths: mapValues(paths, (_, methods) => mapValues(methods, prepare(components.schemas))),
      components: { ...components, parameters: mapValues(components.parameters, (_, each) => withoutExample(each)) },
    },
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { value: sessionStorage.getItem(keyName) ?? '' } },
    },
    onRequestBuilt: ({ request }) => {
      const key = request.headers.get('authorization');
      if (key) sessionStorage.setItem(keyName, key);
    },
    onResponseReceived: () => { setTimeout(showResponse, 250); },
    hiddenClients: {
      ...Object.fromEntries(
        ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'js', 'julia', 'kotlin', 'node', 'objc', 'ocaml', 'powershell', 'r', 'ruby', 'rust', 'swift']
          .map((target) => [target, true]),
      ),
      php: ['guzzle', 'laravel'],
      python: ['python3', 'httpx_sync', 'httpx_async', 'aiohttp'],
      shell: ['wget', 'httpie'],
    },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'json',
    hideClientButton: true,
    hideModels: true,
    showDeveloperTools: 'never',
    telemetry: false,
    withDefaultFonts: false,
  });
});
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the assets of this page and requests to the gateway. The reference adds styles to its elements. */
export const contentSecurityPolicy = [
  `default-src 'none'`,
  `script-src 'self' ${hashOf(script)}`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data: blob:`,
  `font-src data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The page that shows the OpenAPI document. Its URLs are relative, because a proxy may serve it below a path. */
export const docsPage = (version: string, withSlash: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gangan HTTP API</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="docs"></div>
<p id="live-key" role="alert" hidden>This key is live: requests with it reach real people and cost money.</p>
<noscript>This page needs JavaScript. The OpenAPI document is at <a href="${withSlash ? '../' : ''}openapi.json">openapi.json</a>.</noscript>
<script src="${withSlash ? '' : 'docs/'}reference.js?v=${version}"></script>
<script data-document="${withSlash ? '../' : ''}openapi.json">${script}</script>
</body>
</html>
`;
